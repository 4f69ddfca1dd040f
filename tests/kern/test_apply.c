// SPDX-License-Identifier: Apache-2.0
/* A plan becomes the contents of the maps, or changes nothing. */
#include "sample.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <holdfast/slot.h>
#include <netinet/in.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "netns.h"

/* Every change takes new memory; a thousand of them in room for four tables work only if it is given back. */
static void test_memory_is_given_back(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct sample sample;

	(void)state;
	for (uint16_t i = 1; i <= 1000; i++) {
		sample_make(&sample, 1000, i % 50 + 1);
		assert_int_equal(dataplane_apply(dataplane, &sample.plan, i, NULL), 0);
	}
	assert_true(dataplane_reclaimable(dataplane));
	assert_int_equal(dataplane_reclaim(dataplane), 0);
	assert_false(dataplane_reclaimable(dataplane));
	dataplane_close(dataplane);
}

static void test_no_room_changes_nothing(void **state)
{
	struct dataplane *dataplane = open_instance();
	static uint64_t many[5000];
	struct refusal refusal = {};
	struct sample sample, large;

	(void)state;
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	sample_make(&large, 1, 6);
	large.pool.table.size = 5000;
	large.pool.words = many;
	assert_int_equal(dataplane_apply(dataplane, &large.plan, 2, &refusal), -ENOSPC);
	assert_non_null(strstr(refusal.what, "5000 slots"));
	assert_string_equal(refusal.where, "pool db");
	assert_loaded(dataplane, &sample);
	dataplane_close(dataplane);
}

static void test_backends_change_in_place(void **state)
{
	struct dataplane *dataplane = open_instance();
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	struct hf_backend entry;
	struct sample sample;

	(void)state;
	sample_make(&sample, 101, 5);
	sample.backend.entry.flags = HF_BACKEND_TAKES_NEW | HF_BACKEND_SERVES_TCP;
	sample.backend.entry.mtu = 1500;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_next_hop_set(dataplane, 5, mac, 1), 0);
	sample.backend.entry.flags = HF_BACKEND_SERVES_TCP;
	sample.backend.entry.mtu = 0; /* not known any more */
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	assert_int_equal(dataplane_backend(dataplane, 5, &entry), 0);
	assert_int_equal(entry.flags, HF_BACKEND_SERVES_TCP);
	assert_int_equal(entry.mtu, 1500);
	assert_memory_equal(&entry.next_hop, mac, sizeof mac);
	sample.backend.entry.dst[0] = 77;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 3, NULL), 0);
	assert_int_equal(dataplane_backend(dataplane, 5, &entry), 0);
	assert_int_equal(entry.next_hop, 0);
	dataplane_close(dataplane);
}

/* Another source, another spread, another encapsulation: at the end the entry says what the image says. */
static void test_a_backends_way_changes_in_place(void **state)
{
	static const struct {
		uint32_t source, mask;
		uint16_t port;
		uint8_t encap;
	} ways[] = {
		{0x0a400000, 0xffff, 0, HF_ENCAP_IP},    {0xc0000201, 0, 0, HF_ENCAP_IP},
		{0x0a410000, 0xfff, 7000, HF_ENCAP_GUE}, {0x0a420000, 0xffff, 7001, HF_ENCAP_GUE},
		{0xc0000300, 0xff, 0, HF_ENCAP_GRE},     {0xc0000301, 0, 0, HF_ENCAP_L2},
		{0xc0000300, 0xff, 6080, HF_ENCAP_GUE},  {0x0a400000, 0xffff, 0, HF_ENCAP_IP},
	};
	struct dataplane *dataplane = open_instance();
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	struct sample sample;

	(void)state;
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_next_hop_set(dataplane, 5, mac, 1), 0);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct hf_backend *wanted = &sample.backend.entry, entry;

		wanted->src[0] = htonl(ways[i].source);
		wanted->src_mask = htonl(ways[i].mask);
		wanted->gue_port = htons(ways[i].port);
		wanted->encap = ways[i].encap;
		assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2 + (uint32_t)i, NULL), 0);
		assert_int_equal(dataplane_backend(dataplane, 5, &entry), 0);
		assert_memory_equal(&entry.next_hop, mac, sizeof mac); /* packets go on */
		entry.next_hop = 0;
		assert_memory_equal(&entry, wanted, sizeof entry);
	}
	dataplane_close(dataplane);
}

static void test_removal(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct directory none = {};
	const uint64_t *words;
	struct hf_backend entry;
	struct hf_table table;
	struct sample sample;
	struct image *image;

	(void)state;
	sample_make(&sample, 101, 5);
	sample.backend.entry.flags = HF_BACKEND_TAKES_NEW | HF_BACKEND_SERVES_TCP;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	sample.plan_pool.change = PLAN_REMOVE;
	sample.plan_pool.image = NULL;
	sample.plan_backend.change = PLAN_REMOVE;
	sample.plan_backend.image = NULL;
	sample.plan.directory = &none;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	/* Remembered flows leave at once; a packet that found it already has the address still. */
	assert_int_equal(dataplane_backend(dataplane, 5, &entry), 0);
	assert_int_equal(entry.flags, 0);
	assert_int_equal(entry.dst[0], 5);
	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), -ENOENT);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_int_equal(image->pool_count, 0);
	assert_int_equal(image->backend_count, 0);
	assert_null(image->directory.entries);
	image_free(image);
	dataplane_close(dataplane);
}

/* Also one that only changes a backend's flags, which retires nothing. */
static void test_every_change_waits_for_a_grace_period(void **state)
{
	struct dataplane *dataplane = open_instance();
	struct sample sample;
	uint64_t changes;

	(void)state;
	assert_int_equal(dataplane_grace(dataplane).changes, 0);
	assert_true(
		dataplane_reclaimable(dataplane)); /* whoever had it before may have changed it just now */
	assert_int_equal(dataplane_reclaim(dataplane), 0);
	assert_int_equal(dataplane_grace(dataplane).changes, dataplane_changes(dataplane));
	sample_make(&sample, 101, 5);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_int_equal(dataplane_reclaim(dataplane), 0);
	assert_false(dataplane_reclaimable(dataplane));

	changes = dataplane_changes(dataplane);
	sample.plan.pool_count = 0;
	sample.plan.services = false;
	sample.plan_backend.change = PLAN_CHANGE;
	sample.backend.entry.flags = HF_BACKEND_SERVES_TCP;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	assert_true(dataplane_reclaimable(dataplane));
	assert_int_equal(dataplane_changes(dataplane), changes + 1);
	assert_int_equal(dataplane_grace(dataplane).changes, changes);
	assert_int_equal(dataplane_reclaim(dataplane), 0);
	assert_int_equal(dataplane_grace(dataplane).changes, changes + 1);
	dataplane_close(dataplane);
}

/* Owners, bases and hops, of a table and of the old one of a pool that migrates. */
static void test_what_tables_name(void **state)
{
	static bool named[HF_MAX_BACKENDS];
	static struct hf_hops hops[101];
	struct dataplane *dataplane = open_instance();
	struct sample sample;

	(void)state;
	sample_make(&sample, 101, 5);
	sample.words[17] = hf_slot_word(5, 4, HF_SLOT_MOVING);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 1, NULL), 0);
	assert_false(dataplane_old_base(dataplane, 3, 4));
	sample_make(&sample, 101, 6);
	sample.pool.table.seed = 78;
	sample.pool.table.old_size = 101;
	sample.pool.table.old_seed = 77;
	hops[33] = (struct hf_hops){.count = 2, .backend = {6, 7, 9}};
	sample.pool.hops = hops;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	dataplane_named(dataplane, named);
	for (uint32_t i = 1; i < HF_MAX_BACKENDS; i++)
		assert_int_equal(named[i], i >= 4 && i <= 7);
	assert_true(dataplane_old_base(dataplane, 3, 4));
	assert_true(dataplane_old_base(dataplane, 3, 5));
	assert_false(dataplane_old_base(dataplane, 3, 6));
	dataplane_close(dataplane);
}

/* A slot that goes on moving keeps its time, one that begins to move begins now, unless the image knows
 * better. */
static void test_since(void **state)
{
	struct dataplane *dataplane = open_instance();
	static uint32_t since[101];
	struct timespec now;
	struct sample sample;
	struct image *image;
	uint32_t later;

	(void)state;
	moving_sample(dataplane, &sample);
	clock_gettime(CLOCK_MONOTONIC, &now);
	later = now.tv_sec + 1000;
	since[10] = later;
	sample.plan.backend_count = 0;
	sample.pool.since = since;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	sample.pool.since = NULL;
	sample.words[20] |= hf_slot_word(0, 0, HF_SLOT_MOVING);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 3, NULL), 0);
	assert_int_equal(dataplane_read(dataplane, &image), 0);
	assert_int_equal(image->pools[0].moving, 11);
	assert_int_equal(image->pools[0].since[10], later);
	assert_true(image->pools[0].since[20] >= now.tv_sec && image->pools[0].since[20] <= now.tv_sec + 60);
	assert_int_equal(image->pools[0].since[30], 0);
	image_free(image);
	dataplane_close(dataplane);
}

/* The data plane has put off since when a slot moves, after the image was built that takes its place. */
static void test_since_that_was_put_off_is_kept(void **state)
{
	struct dataplane *dataplane = open_instance();
	static uint32_t since[101];
	struct timespec now;
	struct sample sample;
	struct hf_table table;
	const uint64_t *words;
	struct hf_since pair;
	uint32_t key;
	int fd = bpf_obj_get(pin("maps/since"));

	(void)state;
	assert_true(fd >= 0);
	moving_sample(dataplane, &sample);
	sample.plan.backend_count = 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), 0);
	key = (table.first + 10) / 2;
	pair.at[0] = pair.at[1] = now.tv_sec + 500;
	assert_int_equal(bpf_map_update_elem(fd, &key, &pair, BPF_ANY), 0);
	for (uint32_t i = 10; i < 20; i++)
		since[i] = now.tv_sec;
	sample.pool.since = since;
	assert_int_equal(dataplane_apply(dataplane, &sample.plan, 2, NULL), 0);
	assert_int_equal(dataplane_pool(dataplane, 3, &table, &words), 0);
	key = (table.first + 10) / 2;
	assert_int_equal(bpf_map_lookup_elem(fd, &key, &pair), 0);
	assert_int_equal(pair.at[(table.first + 10) % 2], now.tv_sec + 500);
	close(fd);
	dataplane_close(dataplane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_memory_is_given_back),
		CASE(test_no_room_changes_nothing),
		CASE(test_backends_change_in_place),
		CASE(test_a_backends_way_changes_in_place),
		CASE(test_removal),
		CASE(test_every_change_waits_for_a_grace_period),
		CASE(test_what_tables_name),
		CASE(test_since),
		CASE(test_since_that_was_put_off_is_kept),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("apply", tests, NULL, NULL);
}
