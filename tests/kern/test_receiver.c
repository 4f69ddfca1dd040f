// SPDX-License-Identifier: Apache-2.0
/* The receiver's pins: what it was told, what it is told next, and that it leaves nothing behind. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <kern/receiver/receiver_attach.h>
#include <kern/receiver/receiver_pins.h>
#include <kern/receiver/receiver_ways.h>
#include <net/if.h>
#include <string.h>
#include <sys/stat.h>

#include "netns.h"

static struct prefix from[2];

static int setup(void **state)
{
	(void)state;
	if (prefix_parse("10.64.0.0/16", &from[0]) || prefix_parse("2001:db8:64::/64", &from[1]))
		return -1;
	return netns_enter() || sh_status("ip link add v0 type veth peer name v1 && ip link set v0 up");
}

static int teardown(void **state)
{
	(void)state;
	receiver_detach("v0", NULL);
	return 0;
}

static int keep(const struct receiver_state *state, void *context)
{
	*(struct receiver_state *)context = *state;
	return 1;
}

static struct receiver_state state_of_v0(void)
{
	static struct receiver_state state;

	assert_int_equal(receiver_list(keep, &state), 1);
	assert_string_equal(state.interface, "v0");
	return state;
}

static unsigned int link_id(void)
{
	unsigned int id = 0;
	FILE *list = popen("bpftool link show pinned /sys/fs/bpf/holdfast/receiver/$(stat -Lc %i "
			   "/proc/self/ns/net)/v0/link",
			   "r");

	assert_non_null(list);
	assert_int_equal(fscanf(list, "%u", &id), 1);
	pclose(list);
	return id;
}

static void test_vips_of_the_loopback(void **state)
{
	const struct receiver_options options = {.interface = "v0", .from = from, .from_count = 2};
	struct refusal warning = {}, refusal = {};
	struct receiver_state now;

	(void)state;
	sh("ip addr add 203.0.113.10/32 dev lo && ip addr add 2001:db8:203::10/128 dev lo nodad");
	assert_int_equal(receiver_attach(&options, &warning, &refusal), 0);
	assert_string_equal(warning.what, "");
	now = state_of_v0();
	assert_int_equal(now.gue_port, 19523);
	assert_int_equal(now.from_count, 2);
	assert_int_equal(now.vip_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct prefix *want = &from[now.from[i].address.family == 6];

		assert_int_equal(now.from[i].bits, want->bits);
		assert_true(address_equal(&now.from[i].address, &want->address));
		assert_int_equal(now.vips[i].bytes[now.vips[i].family == 6 ? 15 : 3],
				 now.vips[i].family == 6 ? 0x10 : 10);
	}
}

static void test_again_replaces_in_place(void **state)
{
	struct receiver_options options = {.interface = "v0", .from = from, .from_count = 2};
	struct address vip;
	struct receiver_state now;
	unsigned int link;

	(void)state;
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	link = link_id();
	assert_int_equal(address_parse("203.0.113.99", &vip), 0);
	options.from++;
	options.from_count = 1;
	options.vips = &vip;
	options.vip_count = 1;
	options.gue_port = 6080;
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	now = state_of_v0();
	assert_int_equal(now.gue_port, 6080);
	assert_int_equal(now.from_count, 1);
	assert_int_equal(now.from[0].address.family, 6);
	assert_int_equal(now.vip_count, 1);
	assert_true(address_equal(&now.vips[0], &vip));
	assert_int_equal(link_id(), link);
}

/* An earlier version's addresses had no family: what it pinned is not read for ours, and attaching replaces
 * it.
 */
static void test_another_versions_maps(void **state)
{
	struct receiver_options options = {.interface = "v0", .from = from, .from_count = 2};
	char pin[128];
	struct stat own;
	unsigned int link;
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "vips", 16, 1, 64, NULL);

	(void)state;
	assert_true(map >= 0);
	sh("ip addr add 203.0.113.10/32 dev lo");
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	assert_true(state_of_v0().current);
	link = link_id();
	assert_int_equal(stat("/proc/self/ns/net", &own), 0);
	snprintf(pin, sizeof pin, "/sys/fs/bpf/holdfast/receiver/%lu/v0/vips", (unsigned long)own.st_ino);
	assert_int_equal(unlink(pin), 0);
	assert_int_equal(bpf_obj_pin(map, pin), 0);
	close(map);
	assert_false(state_of_v0().current);
	assert_int_equal(state_of_v0().vip_count, 0);
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	assert_true(state_of_v0().current);
	assert_int_equal(state_of_v0().vip_count, 1);
	assert_int_equal(link_id(), link);
}

/* A sweep that has found an interface gone must not meet the pins of a receiver that it has got since. */
static void test_attaching_and_sweeping_exclude_each_other(void **state)
{
	const struct receiver_options options = {.interface = "v0", .from = from, .from_count = 1};
	int lock, status;
	pid_t other;

	(void)state;
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	lock = receivers_lock();
	assert_true(lock >= 0);
	other = fork();
	if (!other) {
		close(lock); /* inherited, it would be ours as well */
		_exit(receiver_detach("v0", NULL) ? 1 : 0);
	}
	for (int i = 0; i < 50; i++) {
		assert_int_equal(waitpid(other, &status, WNOHANG), 0);
		usleep(10000);
	}
	assert_int_equal(state_of_v0().from_count, 1);
	receivers_unlock(lock);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	assert_int_equal(receiver_list(keep, &(struct receiver_state){}), 0);
}

static void test_refusals_and_warning(void **state)
{
	struct receiver_options options = {.interface = "v0", .from = from};
	struct refusal warning = {}, refusal = {};

	(void)state;
	assert_int_equal(receiver_attach(&options, NULL, &refusal), -EINVAL);
	assert_non_null(strstr(refusal.right, "--from"));
	options.from_count = 1;
	assert_int_equal(receiver_attach(&options, &warning, &refusal), 0);
	assert_non_null(strstr(warning.what, "no VIP"));
	options.interface = "nosuch";
	assert_int_equal(receiver_attach(&options, NULL, &refusal), -ENODEV);
	assert_int_equal(receiver_detach("v0", &refusal), 0);
	assert_int_equal(receiver_detach("v0", &refusal), -ENOENT);
	sh("! ip link show v0 | grep -q xdp");
	sh("! test -e /sys/fs/bpf/holdfast/receiver/$(stat -Lc %%i /proc/self/ns/net)");
}

/* A process of that namespace that holds a listener and a connection to it, on 203.0.113.10. */
static pid_t connection_spawn(const char *netns)
{
	struct sockaddr_in vip = {.sin_family = AF_INET, .sin_port = htons(80)};
	int ready[2];
	char byte;
	pid_t pid;

	inet_pton(AF_INET, "203.0.113.10", &vip.sin_addr);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		int fd = open(netns, O_RDONLY), listener, client;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (fd < 0 || setns(fd, CLONE_NEWNET))
			_exit(1);
		listener = socket(AF_INET, SOCK_STREAM, 0);
		client = socket(AF_INET, SOCK_STREAM, 0);
		if (bind(listener, (struct sockaddr *)&vip, sizeof vip) || listen(listener, 1) ||
		    connect(client, (struct sockaddr *)&vip, sizeof vip) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

/* Both ends of the connection are there; the listener is no connection. */
static void test_sockets_of_another_namespace(void **state)
{
	struct receiver_options options = {.interface = "v0", .from = from, .from_count = 1};
	struct refusal refusal = {};
	struct receiver_state now;
	pid_t inner = netns_spawn(), connection;
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/proc/%d/ns/net", inner);
	sh("nsenter --net=%s ip addr add 203.0.113.10/32 dev lo", path);
	options.netns = path;
	assert_int_equal(receiver_attach(&options, NULL, &refusal), 0);
	now = state_of_v0();
	assert_string_equal(now.netns, path);
	assert_int_equal(now.vip_count, 1);
	assert_int_equal(now.sockets[0], 0);
	connection = connection_spawn(path);
	now = state_of_v0();
	assert_true(now.sockets_known);
	assert_int_equal(now.sockets[0], 2);
	netns_end(connection);
	options.netns = "nosuch";
	assert_int_equal(receiver_attach(&options, NULL, &refusal), -ENOENT);
	netns_end(inner);
	now = state_of_v0(); /* nobody is there to ask: that is not none */
	assert_int_equal(now.vip_count, 1);
	assert_false(now.sockets_known);
}

static void test_vanished_interface_is_forgotten(void **state)
{
	const struct receiver_options options = {.interface = "v0", .from = from, .from_count = 1};
	struct receiver_state now;

	(void)state;
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	sh("ip link del v0");
	assert_int_equal(receiver_list(keep, &now), 0);
	sh("! test -e /sys/fs/bpf/holdfast/receiver/$(stat -Lc %%i /proc/self/ns/net)/v0");
}

/* Whoever attaches next clears up after namespaces that are gone with all they had. */
static void test_vanished_namespace_is_forgotten(void **state)
{
	const struct receiver_options options = {.interface = "v0", .from = from, .from_count = 1};
	char gone[96];
	struct stat own;

	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	assert_int_equal(stat("/proc/self/ns/net", &own), 0);
	snprintf(gone, sizeof gone, "/sys/fs/bpf/holdfast/receiver/%lu", (unsigned long)own.st_ino);
	assert_int_equal(access(gone, F_OK), 0);
	assert_int_equal(setup(state), 0); /* in another namespace, and the one before ends */
	for (int i = 0; i < 100 && !access(gone, F_OK); i++) {
		assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
		usleep(20000);
	}
	assert_int_not_equal(access(gone, F_OK), 0);
}

static const struct way *way_to(const struct keys *ways, const char *text)
{
	const struct way *list = ways->list;
	struct prefix prefix;

	assert_int_equal(prefix_parse(text, &prefix), 0);
	for (size_t i = 0; i < ways->count; i++) {
		const struct hf_receiver_prefix *key = &list[i].prefix;

		if (key->bits == 32u + prefix.bits && key->address.family == prefix.address.family &&
		    !memcmp(key->address.bytes, prefix.address.bytes, 16))
			return &list[i];
	}
	return NULL;
}

/* Routes as they are seen from v0, of both families. */
static void test_ways_of_an_interface(void **state)
{
	static const struct {
		const char *prefix;
		int to; /* -1: not known */
	} expected[] = {
		{"10.64.0.0/16", HF_WAY_HERE},
		{"10.64.0.1/32", HF_WAY_OWN},
		{"10.65.0.0/16", HF_WAY_ELSEWHERE},
		{"10.66.0.0/16", HF_WAY_NONE},
		{"10.67.0.0/16", HF_WAY_HERE},
		{"10.68.0.0/16", -1},
		{"10.69.0.0/16", HF_WAY_HERE},
		{"0.0.0.0/0", -1},
		{"::/0", HF_WAY_HERE},
		{"2001:db8:65::/64", HF_WAY_ELSEWHERE},
		{"2001:db8:66::/64", HF_WAY_NONE},
		{"2001:db8:64::1/128", HF_WAY_OWN},
	};
	struct keys ways = {};

	(void)state;
	sh("ip link set v1 up && sysctl -qw net.ipv6.conf.v0.accept_dad=0 net.ipv6.conf.v1.accept_dad=0");
	sh("ip addr add 10.64.0.1/16 dev v0 && ip addr add 2001:db8:64::1/64 dev v0 nodad");
	sh("ip route add 10.65.0.0/16 dev v1 && ip route add unreachable 10.66.0.0/16");
	sh("ip route add 10.67.0.0/16 nexthop via 10.64.0.2 dev v0 nexthop via 10.64.0.3 dev v0");
	sh("ip route add 10.68.0.0/16 dev v0 table 100");
	sh("ip route add 10.69.0.0/16 dev v1 metric 1 && ip route add 10.69.0.0/16 dev v0 metric 2");
	sh("ip -6 route add default via 2001:db8:64::2 && ip -6 route add 2001:db8:65::/64 dev v1");
	sh("ip -6 route add blackhole 2001:db8:66::/64");
	assert_int_equal(ways_collect(if_nametoindex("v0"), &ways), 0);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const struct way *way = way_to(&ways, expected[i].prefix);

		if ((way ? way->to : -1) != expected[i].to)
			fail_msg("%s: %d, not %d", expected[i].prefix, way ? way->to : -1, expected[i].to);
	}
	assert_true(ways_lead_out(&ways));
	free(ways.list);
}

/* A route out of the interface comes, leads elsewhere, comes back, goes: each time the program has to be
 * told. */
static void test_changed_routes_are_noticed(void **state)
{
	const struct receiver_options options = {.interface = "v0", .from = from, .from_count = 1};
	static const char *const changes[] = {"add 10.70.0.0/16 dev v0",      "change 10.70.0.0/16 dev v1",
					      "change 10.70.0.0/16 dev v0",   "del 10.70.0.0/16",
					      "add unreachable 10.71.0.0/16", "del unreachable 10.71.0.0/16"};

	(void)state;
	sh("ip link set v1 up");
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	assert_false(state_of_v0().ways_lead_out);
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		assert_true(state_of_v0().ways_current);
		sh("ip route %s", changes[i]);
		assert_false(state_of_v0().ways_current);
		assert_int_equal(state_of_v0().ways_lead_out, i == 0 || i == 2);
		assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	}
	sh("ip addr add 203.0.113.77/32 dev lo && ip route add 10.72.0.0/16 dev v1"); /* VIPs, containers */
	assert_true(state_of_v0().ways_current);
}

/* A program that is attached without a qdisc, as newer tools do. */
static void test_programs_that_come_first_are_noticed(void **state)
{
	const struct receiver_options options = {.interface = "v0", .from = from, .from_count = 1};
	const enum bpf_attach_type tcx_ingress = 46;
	char path[128];
	struct stat own;
	int program, link;

	(void)state;
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
	assert_true(state_of_v0().tc_first);
	assert_int_equal(stat("/proc/self/ns/net", &own), 0);
	snprintf(path, sizeof path, "/sys/fs/bpf/holdfast/receiver/%lu/v0/tc", (unsigned long)own.st_ino);
	program = bpf_obj_get(path);
	assert_true(program >= 0);
	link = bpf_link_create(program, (int)if_nametoindex("v0"), tcx_ingress, NULL);
	close(program);
	if (link < 0)
		skip(); /* before Linux 6.6 there are none */
	assert_false(state_of_v0().tc_first);
	assert_true(state_of_v0().tc);
	close(link);
	assert_true(state_of_v0().tc_first);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_vips_of_the_loopback),
		CASE(test_again_replaces_in_place),
		CASE(test_another_versions_maps),
		CASE(test_attaching_and_sweeping_exclude_each_other),
		CASE(test_refusals_and_warning),
		CASE(test_vanished_interface_is_forgotten),
		CASE(test_sockets_of_another_namespace),
		CASE(test_vanished_namespace_is_forgotten),
		CASE(test_ways_of_an_interface),
		CASE(test_changed_routes_are_noticed),
		CASE(test_programs_that_come_first_are_noticed),
	};

	return cmocka_run_group_tests_name("receiver", tests, NULL, NULL);
}
