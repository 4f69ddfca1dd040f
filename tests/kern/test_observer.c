// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include <kern/instance/lifecycle.h>
#include <kern/program/observer.h>

#include "netns.h"

static void test_observing(void **state)
{
	static const uint8_t arp[60] = {[0] = 2, [12] = 0x08, [13] = 0x06};
	struct dataplane *dataplane = open_instance(), *inspected;
	struct hf_reason_counter before[HF_REASON_LIMIT], after[HF_REASON_LIMIT];
	struct hf_observation found;
	struct refusal refusal = {};
	uint32_t verdict, length = 256;
	uint8_t out[256];

	(void)state;
	assert_int_equal(dataplane_inspect(instance, &inspected, &refusal), 0);
	assert_int_equal(dataplane_reasons(dataplane, before), 0);
	assert_int_equal(
		dataplane_observe(inspected, arp, sizeof arp, 0, &found, &verdict, out, &length, &refusal),
		0);
	assert_int_equal(verdict, 2); /* XDP_PASS */
	assert_int_equal(length, sizeof arp);
	assert_int_equal(found.reason, HF_REASON_NOT_IP);
	assert_int_equal(dataplane_reasons(dataplane, after), 0);
	assert_memory_equal(before, after, sizeof before);
	dataplane_close(inspected);
	dataplane_close(dataplane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_observing),
	};

	instances_sweep("test");
	return cmocka_run_group_tests_name("observer", tests, NULL, NULL);
}
