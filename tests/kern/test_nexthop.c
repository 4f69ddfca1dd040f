// SPDX-License-Identifier: Apache-2.0
/* Next hops against a real neighbour: another namespace at the end of a wire. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <kern/neighbour/nexthop.h>

#include "netns.h"

enum { MAC_1 = 1, MAC_2 = 2, PATIENCE = 2 /* ticks */ };

static pid_t neighbour;
static struct nexthops *nexthops;
static unsigned int changes;

static void on_change(const struct nexthop *nexthop, void *context)
{
	(void)nexthop, (void)context;
	changes++;
}

#define there(format, ...) sh("nsenter --net=/proc/%d/ns/net " format, neighbour, ##__VA_ARGS__)

static int setup(void **state)
{
	(void)state;
	if (netns_enter() || (neighbour = netns_spawn()) < 0)
		return -1;
	sh("ip link add v0 type veth peer name v1 netns %d", neighbour);
	sh("ip addr add 10.9.0.1/24 dev v0 && ip link set v0 up");
	there("ip link set v1 address 02:00:00:00:00:01");
	there("ip addr add 10.9.0.2/24 dev v1");
	there("ip addr add 10.9.0.3/24 dev v1");
	there("ip link set v1 up");
	sh("ip route add 192.0.2.0/24 via 10.9.0.2 mtu 1400");
	return nexthops_open(on_change, NULL, &nexthops);
}

static int teardown(void **state)
{
	(void)state;
	nexthops_close(nexthops);
	netns_end(neighbour);
	return 0;
}

static struct address address(const char *text)
{
	struct address parsed;

	assert_int_equal(address_parse(text, &parsed), 0);
	return parsed;
}

static const struct nexthop *want(const char *text)
{
	struct address wanted = address(text);

	assert_int_equal(nexthops_want(nexthops, &wanted), 0);
	return nexthops_get(nexthops, &wanted);
}

static bool resolved_to(const struct nexthop *now, uint8_t last)
{
	return now->resolved && now->mac[5] == last;
}

static bool unresolved(const struct nexthop *now, uint8_t unused)
{
	(void)unused;
	return !now->resolved;
}

/* A daemon's loop: news as they come, a tick a second; gives up after so many ticks. */
static bool comes(const char *text, bool (*is_so)(const struct nexthop *now, uint8_t last), uint8_t last,
		  int ticks)
{
	struct pollfd news = {.fd = nexthops_fd(nexthops), .events = POLLIN};
	struct address wanted = address(text);

	for (int i = 0; i <= ticks; i++) {
		double end = seconds_now() + 1;

		while (!is_so(nexthops_get(nexthops, &wanted), last) && seconds_now() < end) {
			poll(&news, 1, (int)((end - seconds_now()) * 1000) + 1);
			assert_int_equal(nexthops_dispatch(nexthops), 0);
		}
		if (is_so(nexthops_get(nexthops, &wanted), last))
			return true;
		assert_int_equal(nexthops_tick(nexthops), 0);
	}
	return false;
}

static void test_resolved_before_the_first_packet(void **state)
{
	const struct nexthop *behind = want("192.0.2.5"), *near = want("10.9.0.2");

	(void)state;
	assert_true(comes("192.0.2.5", resolved_to, MAC_1, PATIENCE));
	assert_true(comes("10.9.0.2", resolved_to, MAC_1, PATIENCE));
	assert_string_equal(behind->interface, "v0");
	assert_int_equal(behind->gateway.bytes[3], 2);
	assert_int_equal(behind->mtu, 1400);
	assert_int_equal(behind->source.bytes[3], 1);
	assert_int_equal(near->gateway.family, 0);
	assert_int_equal(near->mtu, 1500);
	assert_null(near->problem);
}

static void test_problems_have_names(void **state)
{
	(void)state;
	assert_string_equal(want("198.51.100.1")->problem, "no route");
	assert_string_equal(want("10.9.0.1")->problem, "local address");
	assert_string_equal(want("10.9.0.77")->problem, "neighbour unresolved");
	sh("ip link set v0 down");
	assert_int_equal(nexthops_dispatch(nexthops), 0);
	assert_false(want("10.9.0.77")->resolved);
}

static void test_changed_mac_heals(void **state)
{
	(void)state;
	want("192.0.2.5");
	assert_true(comes("192.0.2.5", resolved_to, MAC_1, PATIENCE));
	there("ip link set v1 address 02:00:00:00:00:02"); /* and tells nobody */
	assert_true(comes("192.0.2.5", resolved_to, MAC_2, PATIENCE));
}

static void test_changed_mac_of_a_backend_on_link_heals(void **state)
{
	(void)state;
	want("10.9.0.2");
	assert_true(comes("10.9.0.2", resolved_to, MAC_1, PATIENCE));
	there("ip link set v1 address 02:00:00:00:00:02");
	assert_true(comes("10.9.0.2", resolved_to, MAC_2, PATIENCE));
}

/* Of more than are asked at once, every one comes to its turn. */
static void test_changed_mac_among_many_heals(void **state)
{
	char text[16];

	(void)state;
	for (int i = 100; i < 170; i++) {
		snprintf(text, sizeof text, "10.9.0.%d", i);
		there("ip addr add %s/24 dev v1", text);
		want(text);
	}
	assert_true(comes("10.9.0.169", resolved_to, MAC_1, PATIENCE));
	there("ip link set v1 address 02:00:00:00:00:02");
	assert_true(comes("10.9.0.169", resolved_to, MAC_2, 2 * PATIENCE));
	assert_true(comes("10.9.0.100", resolved_to, MAC_2, 2 * PATIENCE));
}

static void test_silent_neighbour_goes_and_returns(void **state)
{
	(void)state;
	want("192.0.2.5");
	assert_true(comes("192.0.2.5", resolved_to, MAC_1, PATIENCE));
	there("ip link set v1 arp off");
	assert_true(comes("192.0.2.5", unresolved, 0, 2 * PATIENCE));
	there("ip link set v1 arp on");
	assert_true(comes("192.0.2.5", resolved_to, MAC_1, PATIENCE));
}

static void test_lost_carrier_is_seen_at_once(void **state)
{
	(void)state;
	want("10.9.0.2");
	assert_true(comes("10.9.0.2", resolved_to, MAC_1, PATIENCE));
	there("ip link set v1 down");
	assert_true(comes("10.9.0.2", unresolved, 0, 0));
	there("ip link set v1 up");
	assert_true(comes("10.9.0.2", resolved_to, MAC_1, PATIENCE));
}

static bool by_third(const struct nexthop *now, uint8_t last)
{
	return now->gateway.bytes[3] == 3 && resolved_to(now, last);
}

static void test_route_changes_are_followed(void **state)
{
	unsigned int before;

	(void)state;
	want("192.0.2.5");
	assert_true(comes("192.0.2.5", resolved_to, MAC_1, PATIENCE));
	before = changes;
	sh("ip route add 203.0.113.0/24 via 10.9.0.3"); /* none of its business */
	assert_int_equal(nexthops_dispatch(nexthops), 0);
	assert_int_equal(changes, before);
	sh("ip route add 192.0.2.5 via 10.9.0.3");
	assert_true(comes("192.0.2.5", by_third, MAC_1, PATIENCE));
	sh("ip route del 192.0.2.5 && ip route del 192.0.2.0/24");
	assert_true(comes("192.0.2.5", unresolved, 0, 0));
	assert_string_equal(want("192.0.2.5")->problem, "no route");
}

/* What the table refuses is certain; a route that has only gone may come back. Both families. */
static void test_refusals_of_the_table_have_names(void **state)
{
	static const char *const kinds[] = {"blackhole", "unreachable", "prohibit"};
	char problem[64];

	(void)state;
	sh("ip addr add 2001:db8:9::1/64 dev v0 nodad");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		sh("ip route replace %s 198.51.100.1/32", kinds[i]);
		sh("ip route replace %s 2001:db8:99::1/128", kinds[i]);
		assert_int_equal(nexthops_dispatch(nexthops), 0);
		snprintf(problem, sizeof problem, "no route: %s", kinds[i]);
		assert_string_equal(want("198.51.100.1")->problem, problem);
		assert_true(want("198.51.100.1")->certain);
		assert_string_equal(want("2001:db8:99::1")->problem, problem);
		assert_true(want("2001:db8:99::1")->certain);
	}
	sh("ip route del prohibit 198.51.100.1/32 && ip route del prohibit 2001:db8:99::1/128");
	assert_int_equal(nexthops_dispatch(nexthops), 0);
	assert_string_equal(want("198.51.100.1")->problem, "no route");
	assert_false(want("198.51.100.1")->certain);
	assert_string_equal(want("2001:db8:99::1")->problem, "no route");
	assert_false(want("2001:db8:99::1")->certain);
}

static void test_the_state_of_links(void **state)
{
	const struct nexthop *near = want("10.9.0.2");
	uint32_t ifindex = near->ifindex;

	(void)state;
	assert_int_equal(nexthops_link(nexthops, ifindex), LINK_CARRIES);
	there("ip link set v1 down");
	assert_int_equal(nexthops_dispatch(nexthops), 0);
	assert_int_equal(nexthops_link(nexthops, ifindex), LINK_WITHOUT_CARRIER);
	sh("ip link set v0 down");
	assert_int_equal(nexthops_dispatch(nexthops), 0);
	assert_int_equal(nexthops_link(nexthops, ifindex), LINK_DOWN);
	sh("ip link del v0");
	assert_int_equal(nexthops_dispatch(nexthops), 0);
	assert_int_equal(nexthops_link(nexthops, ifindex), LINK_GONE);
}

static void test_ipv6_and_ipv4_over_ipv6(void **state)
{
	(void)state;
	sh("ip addr add 2001:db8:9::1/64 dev v0 nodad");
	there("ip addr add 2001:db8:9::2/64 dev v1 nodad");
	sh("ip route add 198.18.0.0/16 via inet6 2001:db8:9::2 dev v0");
	want("2001:db8:9::2");
	want("198.18.0.9");
	assert_true(comes("2001:db8:9::2", resolved_to, MAC_1, PATIENCE));
	assert_true(comes("198.18.0.9", resolved_to, MAC_1, PATIENCE));
	assert_int_equal(want("198.18.0.9")->gateway.family, 6);
}

static void test_wants_are_counted(void **state)
{
	struct address wanted = address("10.9.0.2");

	(void)state;
	want("10.9.0.2");
	want("10.9.0.2");
	nexthops_forget(nexthops, &wanted);
	assert_non_null(nexthops_get(nexthops, &wanted));
	nexthops_forget(nexthops, &wanted);
	assert_null(nexthops_get(nexthops, &wanted));
	nexthops_forget(nexthops, &wanted);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_resolved_before_the_first_packet),
		CASE(test_problems_have_names),
		CASE(test_changed_mac_heals),
		CASE(test_changed_mac_of_a_backend_on_link_heals),
		CASE(test_changed_mac_among_many_heals),
		CASE(test_silent_neighbour_goes_and_returns),
		CASE(test_lost_carrier_is_seen_at_once),
		CASE(test_route_changes_are_followed),
		CASE(test_refusals_of_the_table_have_names),
		CASE(test_the_state_of_links),
		CASE(test_ipv6_and_ipv4_over_ipv6),
		CASE(test_wants_are_counted),
	};

	return cmocka_run_group_tests_name("nexthop", tests, NULL, NULL);
}
