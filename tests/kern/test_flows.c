// SPDX-License-Identifier: Apache-2.0
/* The flow table and the counters, as user space reads them. */
#include "sample.h"

#include <bpf/bpf.h>
#include <kern/maps/flows.h>
#include <netinet/in.h>
#include <unistd.h>

#include "netns.h"

enum { NOW = 1000, IDLE = 100, FLOWS = 9 };

static void flows_put(const struct hf_flow *flows, uint32_t count)
{
	int fd = bpf_obj_get(pin("maps/flows"));

	assert_true(fd >= 0);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(bpf_map_update_elem(fd, &i, &flows[i], BPF_ANY), 0);
	close(fd);
}

static bool flow_is_there(uint32_t index)
{
	struct hf_flow flow;
	int fd = bpf_obj_get(pin("maps/flows"));

	assert_true(fd >= 0);
	assert_int_equal(bpf_map_lookup_elem(fd, &index, &flow), 0);
	close(fd);
	return flow.tag;
}

static void test_flows_are_counted_and_purged(void **state)
{
	static const struct hf_flow flows[FLOWS] = {
		/* stay */
		{21, 1, 10, NOW - 5, 5, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{22, 1, 11, NOW - 7, 6, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{23, 1, 12, NOW - 3, 6, 1, HF_FLOW_OPENING, IPPROTO_TCP, 3, IDLE},
		{24, 1, 13, NOW - 1, 6, 1, HF_FLOW_CLOSING, IPPROTO_TCP, 3, IDLE},
		{25, 1, 50, NOW - 1, 5, 9, HF_FLOW_ESTABLISHED, IPPROTO_UDP, 3, IDLE}, /* tracked always */
		/* go: silent too long, slot settled, backend gone, pool gone */
		{26, 1, 14, NOW - IDLE - 1, 6, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{27, 1, 50, NOW - 1, 5, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{28, 1, 15, NOW - 61, 7, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{29, 1, 16, NOW - 1, 5, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 4, IDLE},
	};
	const uint64_t slots[2] = {1ULL << 11 | 1ULL << 12};
	struct dataplane *dataplane = open_instance();
	struct flow_census *census;
	struct sample sample;

	(void)state;
	moving_sample(dataplane, &sample);
	flows_put(flows, FLOWS);
	assert_int_equal(flows_on_slots(dataplane, 3, slots, 101), 2);
	assert_int_equal(flows_count(dataplane, NOW, &census), 0);
	assert_int_equal(census->limit, limits.flows);
	assert_int_equal(census->purged, 4);
	for (uint32_t i = 0; i < FLOWS; i++)
		assert_int_equal(flow_is_there(i), i < 5);
	assert_int_equal(census->established, 3);
	assert_int_equal(census->opening, 1);
	assert_int_equal(census->closing, 1);
	assert_int_equal(census->backends[6].established, 1);
	assert_int_equal(census->backends[6].closing, 1);
	assert_int_equal(census->backends[6].heard, NOW - 3);
	assert_int_equal(census->pools[3].remembered, 5);
	assert_int_equal(census->pools[3].away, 3);
	for (uint32_t slot = 0; slot < 101; slot++)
		assert_int_equal(flow_census_away(census, 3, slot), slot >= 11 && slot <= 13);
	flow_census_free(census);
	flows_clear(dataplane);
	assert_false(flow_is_there(0));
	dataplane_close(dataplane);
}

/* Its processor was taken away in the middle of a change. */
static void test_a_flow_that_stays_claimed_is_counted(void **state)
{
	static const struct hf_flow flows[2] = {
		{HF_FLOW_CLAIMED, 1, 11, NOW - 7, 6, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
		{HF_FLOW_CLAIMED, 2, 12, NOW - IDLE - 1, 6, 1, HF_FLOW_ESTABLISHED, IPPROTO_TCP, 3, IDLE},
	};
	struct dataplane *dataplane = open_instance();
	struct flow_census *census;
	struct sample sample;

	(void)state;
	moving_sample(dataplane, &sample);
	flows_put(flows, 2);
	assert_int_equal(flows_count(dataplane, NOW, &census), 0);
	assert_int_equal(census->backends[6].established, 1);
	assert_int_equal(census->pools[3].remembered, 1);
	assert_int_equal(census->purged, 0);
	assert_true(flow_is_there(0) && flow_is_there(1));
	flow_census_free(census);
	flows_put((const struct hf_flow[2]){}, 2);
	dataplane_close(dataplane);
}

static void test_counters(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct hf_counters rows[3] = {}, values[64] = {};
	int fd = bpf_obj_get(pin("maps/counters"));
	uint32_t key = 7;

	(void)state;
	for (int i = 0; i < 64; i++)
		values[i] = (struct hf_counters){.packets = i, .bytes = 10, .flows = 1};
	assert_int_equal(bpf_map_update_elem(fd, &key, values, BPF_ANY), 0);
	close(fd);
	assert_int_equal(dataplane_counters(dataplane, 6, 3, rows), 0);
	assert_int_equal(rows[0].bytes, 0);
	assert_int_equal(rows[1].bytes, 10 * rows[1].flows);
	assert_int_equal(rows[1].packets, rows[1].flows * (rows[1].flows - 1) / 2);
	assert_int_equal(dataplane_counters_clear(dataplane, 7, 1), 0);
	assert_int_equal(dataplane_counters(dataplane, 6, 3, rows), 0);
	assert_int_equal(rows[1].packets, 0);
	dataplane_close(dataplane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_flows_are_counted_and_purged),
		CASE(test_a_flow_that_stays_claimed_is_counted),
		CASE(test_counters),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("flows", tests, NULL, NULL);
}
