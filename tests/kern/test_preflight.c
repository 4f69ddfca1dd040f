// SPDX-License-Identifier: Apache-2.0
/* The preflight: a sound host has nothing to complain of, and each fault that is made is named. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <kern/base/ethtool.h>
#include <kern/base/driver_drops.h>
#include <kern/preflight/preflight.h>
#include <kern/receiver/receiver_attach.h>
#include <netinet/in.h>
#include <string.h>

#include "netns.h"

static pid_t router;
static struct model *model;
static struct backend backend = {.name = "db1"};
static struct pool pool = {
	.name = "db", .backends = &backend, .backend_count = 1, .gue_port = GUE_PORT_DEFAULT};
static struct service service = {.proto = IPPROTO_TCP, .pool = "db"};
static struct interface interface = {.name = "v0"};
static struct model host = {.interfaces = &interface,
			    .interface_count = 1,
			    .pools = &pool,
			    .pool_count = 1,
			    .services = &service,
			    .service_count = 1};

#define there(format, ...) sh("nsenter --net=/proc/%d/ns/net " format, router, ##__VA_ARGS__)

static int setup(void **state)
{
	(void)state;
	model = &host;
	if (address_parse("10.9.0.5", &backend.address) || address_parse("203.0.113.10", &service.vip))
		return -1;
	if (netns_enter() || (router = netns_spawn()) < 0)
		return -1;
	sh("ip link add v0 mtu 1700 type veth peer name v1 mtu 1700 netns %d", router);
	sh("sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.v0.rp_filter=0 "
	   "net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2");
	sh("ip addr add 10.9.0.1/24 dev v0 && ip link set v0 up");
	there("ip addr add 10.9.0.5/24 dev v1");
	there("ip link set v1 up xdpdrv obj build/lab/pass.bpf.o sec xdp");
	sh("ip route add default via 10.9.0.5");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	receiver_detach("v0", NULL);
	netns_end(router);
	return 0;
}

/* The finding that says so, if it is at least that severe. */
static bool names(struct findings *findings, enum finding_severity least, const char *subject,
		  const char *what)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		if (finding->severity >= least && strstr(finding->subject, subject) &&
		    strstr(finding->what, what))
			return finding->right[0];
	}
	for (size_t i = 0; i < findings->count; i++)
		print_message("# %s %s: %s\n", severity_name(findings->list[i].severity),
			      findings->list[i].subject, findings->list[i].what);
	return false;
}

static void assert_balancer(enum finding_severity least, const char *subject, const char *what)
{
	struct findings *findings;

	assert_int_equal(preflight_balancer(model, &findings), 0);
	assert_true(names(findings, least, subject, what));
	findings_free(findings);
}

static void assert_receiver(enum finding_severity least, const char *what)
{
	struct findings *findings;

	assert_int_equal(preflight_receiver(NULL, &findings), 0);
	assert_true(names(findings, least, "v0", what));
	findings_free(findings);
}

static void test_sound_balancer(void **state)
{
	struct findings *findings;

	(void)state;
	assert_int_equal(preflight_balancer(model, &findings), 0);
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->list[i].severity > FINDING_NOTE)
			fail_msg("%s: %s", findings->list[i].subject, findings->list[i].what);
	}
	assert_string_equal(findings->list[0].subject, "interface v0");
	assert_non_null(strstr(findings->list[0].what, "veth, native XDP"));
	findings_free(findings);
}

static void test_faults_of_interfaces(void **state)
{
	(void)state;
	sh("sysctl -qw net.ipv4.conf.v0.rp_filter=1");
	assert_balancer(FINDING_WARN, "interface v0", "rp_filter is strict");
	sh("ip link set v0 xdpgeneric obj build/lab/pass.bpf.o sec xdp && ethtool -K v0 gro on");
	assert_balancer(FINDING_FAULT, "interface v0", "GRO is on");
	there("ip link set v1 down");
	assert_balancer(FINDING_FAULT, "interface v0", "without carrier");
	sh("ip link set v0 down");
	assert_balancer(FINDING_FAULT, "interface v0", "is down");
	sh("ip link del v0");
	assert_balancer(FINDING_FAULT, "interface v0", "not there");
}

static void test_faults_of_paths(void **state)
{
	(void)state;
	sh("ip link set v0 mtu 1510");
	assert_balancer(FINDING_WARN, "backend db/db1", "packets of more than 1490 bytes");
	there("ip addr del 10.9.0.5/24 dev v1");
	sh("ip neigh flush dev v0");
	assert_balancer(FINDING_FAULT, "backend db/db1", "neighbour unresolved");
	sh("ip addr add 10.9.0.5/32 dev lo");
	assert_balancer(FINDING_FAULT, "backend db/db1", "local address");
	sh("ip addr del 10.9.0.5/32 dev lo && ip addr flush dev v0");
	assert_balancer(FINDING_FAULT, "backend db/db1", "no route");
}

static void test_redirect_target(void **state)
{
	uint64_t features;

	if (xdp_features(1, &features)) /* an old kernel, which does not tell */
		skip();
	sh("ip link add w0 type veth peer name w1 && ip addr add 10.8.0.1/24 dev w0");
	sh("ip link set w0 up && ip link set w1 up");
	sh("ip neigh add 10.8.0.5 lladdr 02:00:00:00:00:05 dev w0 && ip link set w0 mtu 1700");
	assert_int_equal(address_parse("10.8.0.5", &backend.address), 0);
	assert_balancer(FINDING_FAULT, "backend db/db1", "leave by w0");
	sh("ip link set w1 xdpdrv obj build/lab/pass.bpf.o sec xdp");
	test_sound_balancer(state);
	assert_int_equal(address_parse("10.9.0.5", &backend.address), 0);
	there("ip link set v1 xdpdrv off");
	assert_balancer(FINDING_FAULT, "backend db/db1", "sent back by v0");
}

static void test_local_vip(void **state)
{
	(void)state;
	sh("ip addr add 203.0.113.10/32 dev lo");
	assert_balancer(FINDING_WARN, "VIP 203.0.113.10", "is a local address");
	sh("ip link add w0 type veth peer name w1 && sysctl -qw net.ipv4.conf.all.arp_ignore=0");
	assert_balancer(FINDING_WARN, "VIP 203.0.113.10", "answers ARP on w0");
}

static void attach_receiver(void)
{
	struct prefix from;
	const struct receiver_options options = {.interface = "v0", .from = &from, .from_count = 1};

	assert_int_equal(prefix_parse("10.0.0.0/8", &from), 0);
	sh("ip addr replace 203.0.113.10/32 dev lo");
	assert_int_equal(receiver_attach(&options, NULL, NULL), 0);
}

static void test_sound_receiver(void **state)
{
	struct findings *findings;

	(void)state;
	attach_receiver();
	assert_int_equal(preflight_receiver("v0", &findings), 0);
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->list[i].severity > FINDING_NOTE)
			fail_msg("%s: %s", findings->list[i].subject, findings->list[i].what);
	}
	findings_free(findings);
}

static void test_faults_of_receivers(void **state)
{
	struct findings *findings;

	(void)state;
	assert_int_equal(preflight_receiver("v0", &findings), 0);
	assert_true(names(findings, FINDING_WARN, "receiver v0", "no receiver is attached"));
	findings_free(findings);
	attach_receiver();
	sh("sysctl -qw net.ipv4.conf.all.arp_ignore=0");
	assert_receiver(FINDING_FAULT, "arp_ignore is 0");
	sh("sysctl -qw net.ipv4.conf.all.arp_announce=0");
	assert_receiver(FINDING_WARN, "arp_announce is not 2");
	sh("sysctl -qw net.ipv4.conf.all.rp_filter=1");
	assert_receiver(FINDING_WARN, "rp_filter is strict");
	sh("ip addr add 203.0.113.11/32 dev lo");
	assert_receiver(FINDING_WARN, "does not know 203.0.113.11");
	sh("ip addr del 203.0.113.11/32 dev lo && ip addr del 203.0.113.10/32 dev lo");
	assert_receiver(FINDING_FAULT, "unwraps for 203.0.113.10");
	assert_receiver(FINDING_FAULT, "no VIP on its loopback");
}

static void test_segments(void **state)
{
	static const char right[] =
		"`advmss 1420` for encap ipip, 1416 for gre, 1400 for gue to IPv4 backends, "
		"1308 to IPv6 ones";
	struct findings *findings;
	bool told = false;

	(void)state;
	attach_receiver();
	sh("ip link set v0 mtu 1500");
	assert_receiver(FINDING_WARN, "1 route such as 0.0.0.0/0 let clients send segments of 1460 bytes");
	assert_int_equal(preflight_receiver(NULL, &findings), 0);
	for (size_t i = 0; i < findings->count; i++)
		told = told || strstr(findings->list[i].right, right);
	assert_true(told);
	findings_free(findings);
	sh("ip route change default via 10.9.0.5 advmss 1420");
	assert_int_equal(preflight_receiver(NULL, &findings), 0);
	assert_true(findings_worst(findings) <= FINDING_NOTE);
	findings_free(findings);
}

static void test_interface_counters(void **state)
{
	struct interface_counters before, after;

	(void)state;
	assert_int_equal(interface_counters("lo", &before), 0);
	sh("bash -c 'for i in 1 2 3; do echo >/dev/udp/127.0.0.1/9; done'");
	assert_int_equal(interface_counters("lo", &after), 0);
	assert_true(after.rx_packets - before.rx_packets >= 3);
	assert_true(after.rx_bytes - before.rx_bytes >= 3 * 42);
	assert_int_equal(interface_counters("nosuch", &after), -19 /* ENODEV */);
}

static void test_names_of_losses(void **state)
{
	static const char *const lost[] = {
		"rx_queue_0_xdp_tx_errors", /* veth */
		"tx_queue_3_xdp_xmit_errors",
		"tx0_xdp_tx_drops", /* virtio_net */
		"rx_xdp_tx_full",   /* mlx5 */
		"rx_xdp_tx_err",
		"tx_xdp_full",
		"tx_xdp_err",
		"rx_xdp_redirect_fail",     /* mlx4 */
		"rx_xdp_redirect_errors[1]" /* gve */
	};
	static const char *const others[] = {
		"rx_queue_0_xdp_tx", "rx_queue_0_xdp_drops", "rx_xdp_drop",     "rx_queue_0_xdp_errors",
		"tx_errors",         "rx_xdp_tx_cqe",        "rx_xdp_redirect", "tx_xsk_full",
		"rx_dropped"};

	(void)state;
	for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
		assert_true(counts_losses(lost[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(counts_losses(others[i]));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_losses),
		CASE(test_sound_balancer),
		CASE(test_faults_of_interfaces),
		CASE(test_faults_of_paths),
		CASE(test_redirect_target),
		CASE(test_local_vip),
		CASE(test_sound_receiver),
		CASE(test_faults_of_receivers),
		CASE(test_segments),
		CASE(test_interface_counters),
	};

	return cmocka_run_group_tests_name("preflight", tests, NULL, NULL);
}
