// SPDX-License-Identifier: Apache-2.0
/* Which frames on a link are for this host. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <kern/base/macs.h>
#include <net/if.h>
#include <string.h>

#include "netns.h"

#define OWN   "02:00:00:00:00:01"
#define PEER  "02:00:00:00:00:02"
#define UPPER "02:00:00:00:00:03"

static int setup(void **state)
{
	(void)state;
	return netns_enter() ||
	       sh_status("ip link add v0 address " OWN " type veth peer name v1 address " PEER
			 " && ip link set v0 up && ip link set v1 up");
}

static bool is_ours(const char *text)
{
	struct macs macs = {};
	uint8_t mac[6];
	bool found = false;

	assert_int_equal(sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1], &mac[2], &mac[3],
				&mac[4], &mac[5]),
			 6);
	assert_int_equal(macs_collect(if_nametoindex("v0"), &macs), 0);
	for (size_t i = 1; i < macs.count; i++)
		assert_true(memcmp(&macs.list[i - 1], &macs.list[i], sizeof *macs.list) < 0);
	for (size_t i = 0; i < macs.count; i++) {
		assert_false(macs.list[i].bytes[0] & 1);
		found |= !memcmp(macs.list[i].bytes, mac, sizeof mac);
	}
	free(macs.list);
	return found;
}

static void test_its_own_address_as_it_is_now(void **state)
{
	(void)state;
	assert_true(is_ours(OWN));
	assert_false(is_ours(PEER)); /* IFLA_LINK of v1 names v0 too */
	sh("ip link set v0 address " UPPER);
	assert_true(is_ours(UPPER));
	assert_false(is_ours(OWN));
}

static void test_no_such_interface(void **state)
{
	struct macs macs = {};

	(void)state;
	assert_int_equal(macs_collect(4711, &macs), -ENODEV);
	assert_null(macs.list);
}

static void test_macvlan_devices_here_and_in_containers(void **state)
{
	pid_t container = netns_spawn();

	(void)state;
	if (sh_status("ip link add mv0 link v0 address " UPPER " type macvlan mode bridge")) {
		netns_end(container);
		skip(); /* a kernel without macvlan */
	}
	assert_false(is_ours(UPPER)); /* it is down */
	sh("ip link set mv0 up");
	assert_true(is_ours(UPPER));
	sh("ip link set mv0 netns %d && nsenter --net=/proc/%d/ns/net ip link set mv0 up", container,
	   container);
	assert_true(is_ours(UPPER));
	assert_true(is_ours(OWN));
	sh("nsenter --net=/proc/%d/ns/net ip link del mv0", container);
	assert_false(is_ours(UPPER));
	netns_end(container);
}

/* The host's addresses are on the bridge; guests behind its other ports are other hosts. */
static void test_the_bridge_that_it_belongs_to(void **state)
{
	(void)state;
	sh("ip link add br0 address " UPPER
	   " type bridge && ip link set v0 master br0 && ip link set br0 up");
	sh("bridge fdb add 02:00:00:00:00:04 dev v0 master dynamic");
	assert_true(is_ours(UPPER));
	assert_true(is_ours(OWN));
	assert_false(is_ours("02:00:00:00:00:04"));
	sh("ip link set v0 nomaster");
	assert_false(is_ours(UPPER));
}

#define CASE(test) cmocka_unit_test_setup(test, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_its_own_address_as_it_is_now),
		CASE(test_no_such_interface),
		CASE(test_macvlan_devices_here_and_in_containers),
		CASE(test_the_bridge_that_it_belongs_to),
	};

	return cmocka_run_group_tests_name("macs", tests, NULL, NULL);
}
