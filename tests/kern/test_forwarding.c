// SPDX-License-Identifier: Apache-2.0
/* Real frames through attached programs: back where they came in, out of another interface, or nowhere. */
#include <holdfast/slot.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <holdfast/flowhash.h>
#include <holdfast/outer.h>
#include <kern/apply/plan_apply.h>
#include <kern/instance/attach.h>
#include <kern/instance/lifecycle.h>
#include <kern/maps/dataplane.h>
#include <kern/program/program_upgrade.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

#include "netns.h"

enum { POOL = 1, BACKEND = 5, PORT = 53, FRAME = 128, WAIT = 2000 /* ms */ };

static char instance[32];
static struct dataplane *dataplane;
static const uint8_t hop_mac[6] = {2, 0, 0, 0, 0, 9};

static int load(void)
{
	const struct dataplane_limits limits = {.slots = 64, .hops = 64, .flows = 64, .counters = 8};
	struct hf_service service = {.key = {.proto = IPPROTO_UDP, .port = htons(PORT)},
				     .pool = POOL,
				     .counters = 1,
				     .idle = 3600,
				     .ordinals = 2,
				     .number = 1};
	struct backend_image backend = {.number = BACKEND,
					.entry = {.family = HF_IPV4, .ordinal = 1, .flags = 7}};
	uint64_t words[7];
	struct pool_image image = {.number = POOL, .table = {.size = 7, .pool = POOL}, .words = words};
	struct plan_pool pool = {.number = POOL, .image = &image};
	struct plan_backend change = {PLAN_ADD, BACKEND, &backend};
	const uint16_t high = PORT;
	struct directory directory = {};
	struct plan plan = {.pools = &pool,
			    .pool_count = 1,
			    .backends = &change,
			    .backend_count = 1,
			    .services = true,
			    .directory = &directory};
	int r;

	for (int i = 0; i < 7; i++)
		words[i] = hf_slot_word(BACKEND, BACKEND, 0);
	inet_pton(AF_INET, "203.0.113.10", service.key.addr);
	inet_pton(AF_INET, "10.0.0.1", backend.entry.src);
	inet_pton(AF_INET, "10.0.0.11", backend.entry.dst);
	backend.entry.csum = hf_outer_csum(backend.entry.src[0], backend.entry.dst[0]);
	r = directory_build(&service, &high, 1, NULL, &directory);
	if (!r)
		r = dataplane_open(instance, &limits, &dataplane, NULL);
	if (!r)
		r = dataplane_apply(dataplane, &plan, 1, NULL);
	directory_free(&directory);
	return r;
}

/* v0 is the balancer's interface, w0 another; v1 and w1 are the far ends, which take what XDP sends. */
static int setup(void **state)
{
	(void)state;
	snprintf(instance, sizeof instance, "forward-%d", getpid());
	if (netns_enter() ||
	    sh_status(
		    "for i in v w; do ip link add ${i}0 type veth peer name ${i}1 || exit 1; "
		    "ip link set ${i}0 address 02:00:00:00:00:01; for end in 0 1; do "
		    "sysctl -qw net.ipv6.conf.$i$end.disable_ipv6=1; ip link set $i$end up || exit 1; done; "
		    "ip link set ${i}1 xdpdrv obj build/lab/pass.bpf.o sec xdp || exit 1; done"))
		return -1;
	return load();
}

static int teardown(void **state)
{
	(void)state;
	dataplane_close(dataplane);
	dataplane = NULL;
	return dataplane_destroy(instance, NULL);
}

static int packet_socket(const char *interface)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_IP));

	assert_true(fd >= 0);
	address.sll_ifindex = if_nametoindex(interface);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

static void send_request(const char *interface)
{
	struct {
		struct ethhdr ethernet;
		struct iphdr ip;
		struct udphdr udp;
		uint8_t body[11];
	} __attribute__((packed)) frame = {
		.ethernet = {.h_dest = {2, 0, 0, 0, 0, 1},
			     .h_source = {2, 0, 0, 0, 0, 2},
			     .h_proto = htons(ETH_P_IP)},
		.ip = {.version = 4,
		       .ihl = 5,
		       .tot_len = htons(sizeof frame - ETH_HLEN),
		       .ttl = 64,
		       .protocol = IPPROTO_UDP},
		.udp = {.source = htons(4000), .dest = htons(PORT), .len = htons(sizeof frame.udp + 11)},
	};
	int fd = packet_socket(interface);

	frame.ip.saddr = inet_addr("198.51.100.7");
	frame.ip.daddr = inet_addr("203.0.113.10");
	assert_int_equal(send(fd, &frame, sizeof frame, 0), sizeof frame);
	close(fd);
}

/* Whether a wrapped request comes in by interface. */
static bool comes_wrapped(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	uint8_t frame[FRAME];
	struct iphdr outer;

	for (int i = 0; i < 10 && poll(&poll_fd, 1, WAIT) == 1; i++) {
		ssize_t length = recv(fd, frame, sizeof frame, 0);

		memcpy(&outer, frame + ETH_HLEN, sizeof outer);
		if (length > ETH_HLEN + 20 && outer.protocol == IPPROTO_IPIP)
			return !memcmp(frame, hop_mac, sizeof hop_mac) &&
			       outer.daddr == inet_addr("10.0.0.11");
	}
	return false;
}

static void lead_to(const char *interface)
{
	const uint8_t own[6] = {2, 0, 0, 0, 0, 1};
	uint16_t link;

	assert_int_equal(dataplane_link_set(dataplane, if_nametoindex(interface), own, 1500, &link), 0);
	assert_int_equal(dataplane_next_hop_set(dataplane, BACKEND, hop_mac, link), 0);
}

static bool forwards(const char *in, const char *out)
{
	int fd = packet_socket(out);
	bool comes;

	send_request(in);
	comes = comes_wrapped(fd);
	close(fd);
	return comes;
}

static void test_back_where_it_came_in(void **state)
{
	(void)state;
	lead_to("v0");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	assert_true(forwards("v1", "v1"));
}

static void test_out_of_another_interface(void **state)
{
	struct hf_counters counters;

	(void)state;
	lead_to("w0");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	assert_true(forwards("v1", "w1"));
	assert_int_equal(dataplane_counters(dataplane, 2, 1, &counters), 0);
	assert_int_equal(counters.packets, 1);
}

static void test_in_by_any_of_several(void **state)
{
	(void)state;
	lead_to("w0");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	assert_int_equal(dataplane_attach(dataplane, "w0", MODE_NATIVE, false, NULL), 0);
	assert_true(forwards("v1", "w1"));
	assert_true(forwards("w1", "w1"));
	lead_to("v0");
	assert_true(forwards("w1", "v1"));
}

static void test_generic_mode(void **state)
{
	(void)state;
	lead_to("w0");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_GENERIC, false, NULL), 0);
	assert_true(forwards("v1", "w1"));
}

static void test_vanished_target_has_a_name(void **state)
{
	struct hf_reason_counter reasons[HF_REASON_LIMIT];

	(void)state;
	lead_to("w0");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	sh("ip link del w0");
	send_request("v1");
	for (int i = 0; i < 100; i++) {
		assert_int_equal(dataplane_reasons(dataplane, reasons), 0);
		if (reasons[HF_REASON_REDIRECT].packets)
			return;
		usleep(20000);
	}
	fail_msg("no packet was counted under redirect");
}

/* Four upgrades between packets: the attachment, the tables and the counters go on. */
static void test_upgrades_between_packets(void **state)
{
	struct hf_counters counters;

	(void)state;
	lead_to("v0");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	for (int i = 0; i < 40; i++) {
		if (i % 10 == 5)
			assert_int_equal(dataplane_upgrade(instance, NULL), 0);
		assert_true(forwards("v1", "v1"));
	}
	assert_int_equal(dataplane_counters(dataplane, 2, 1, &counters), 0);
	assert_int_equal(counters.packets, 40);
}

/* The only remembered flow. */
static struct hf_flow remembered(void)
{
	struct hf_flow flow = {}, found = {};
	char path[96];
	int fd, count = 0;

	snprintf(path, sizeof path, "/sys/fs/bpf/holdfast/%s/maps/flows", instance);
	fd = bpf_obj_get(path);
	assert_true(fd >= 0);
	for (uint32_t i = 0; i < 64; i++) {
		assert_int_equal(bpf_map_lookup_elem(fd, &i, &flow), 0);
		if (flow.tag)
			found = flow;
		count += flow.tag != 0;
	}
	close(fd);
	assert_int_equal(count, 1);
	return found;
}

/* A table of moving slots, in the place of what was there. */
static void put_moving_table(uint32_t size, uint32_t old_size)
{
	const uint64_t word = hf_slot_word(BACKEND, BACKEND, HF_SLOT_MOVING);
	uint64_t words[1000];
	struct pool_image image = {
		.number = POOL, .table = {.size = size, .pool = POOL, .old_size = old_size}, .words = words};
	struct plan_pool pool = {.change = PLAN_CHANGE, .number = POOL, .image = &image};
	struct plan plan = {.pools = &pool, .pool_count = 1};

	for (uint32_t i = 0; i < size; i++)
		words[i] = word;
	assert_int_equal(dataplane_apply(dataplane, &plan, 2, NULL), 0);
}

/* A remembered flow's slot is that of the table it was last seen with, so that it is counted where it
 * belongs. */
static void test_remembered_flow_follows_its_table(void **state)
{
	struct hf_tuple tuple = {
		.proto = IPPROTO_UDP, .family = HF_IPV4, .sport = htons(4000), .dport = htons(PORT)};
	uint64_t hash;

	(void)state;
	tuple.saddr.words[0] = inet_addr("198.51.100.7");
	tuple.daddr.words[0] = inet_addr("203.0.113.10");
	hash = hf_flow_hash(&tuple, HF_HASH_5TUPLE, 0);
	lead_to("v0");
	assert_int_equal(dataplane_attach(dataplane, "v0", MODE_NATIVE, false, NULL), 0);
	put_moving_table(17, 0);
	assert_true(forwards("v1", "v1"));
	assert_int_equal(remembered().slot, hf_slot_index(hash, 17));
	assert_int_equal(remembered().backend, BACKEND);
	put_moving_table(23, 17);
	assert_true(forwards("v1", "v1"));
	assert_int_equal(remembered().slot, hf_slot_index(hash, 23));
	assert_int_not_equal(hf_slot_index(hash, 17), hf_slot_index(hash, 23));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_back_where_it_came_in),
		CASE(test_out_of_another_interface),
		CASE(test_in_by_any_of_several),
		CASE(test_generic_mode),
		CASE(test_remembered_flow_follows_its_table),
		CASE(test_vanished_target_has_a_name),
		CASE(test_upgrades_between_packets),
	};

	instances_sweep("forward");
	return cmocka_run_group_tests_name("forwarding", tests, NULL, NULL);
}
