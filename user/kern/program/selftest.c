// SPDX-License-Identifier: Apache-2.0
/*
 * The self-test before an upgrade: golden packets through the very object that is about to carry traffic, on
 * maps of their own. What comes out is judged by the RFCs (791, 2003, 2473, 8200), not by a recording.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <holdfast/gue.h>
#include <holdfast/outer.h>
#include <holdfast/slot.h>
#include <netinet/in.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <string.h>
#include "kern/apply/plan_apply.h"
#include "kern/maps/state.h"
#include "load.h"

enum {
	ROOM = 512,
	SLOTS = 7,
	POOL = 1,
	PORT = 80,
	BODY = 33 /* odd, for the checksum */,
	MTU = 1400,
	TRAFFIC_CLASS = 0xb8
};
enum { BACKEND_4 = 1, BACKEND_6 = 2, BACKEND_GUE = 3, PASS = 2, DROP = 1, TX = 3 };

static const uint8_t hop_mac[6] = {2, 0, 0, 0, 0, 1}, own_mac[6] = {2, 0, 0, 0, 0, 2};
static const uint8_t vip4[4] = {203, 0, 113, 10}, client4[4] = {198, 51, 100, 7},
		     other4[4] = {203, 0, 113, 99};
static const uint8_t vip6[16] = {0x20, 1, 0xd, 0xb8, [15] = 10}, client6[16] = {0x20, 1, 0xd, 0xb8, [15] = 7};
static const uint8_t outer_src4[4] = {10, 0, 0, 1}, outer_dst4[4] = {10, 0, 0, 11};
static const uint8_t outer_gue4[4] = {10, 0, 0, 12};
static const uint8_t outer_src6[16] = {0xfd, [15] = 1}, outer_dst6[16] = {0xfd, [15] = 11};

struct golden {
	const char *name;
	uint16_t ethertype;
	uint8_t proto;
	const uint8_t *to;
	uint16_t body; /* bytes behind the IP header */
	uint32_t verdict;
	uint16_t backend; /* of the pool's only owner while it runs */
};

static const struct golden goldens[] = {
	{"ARP", ETH_P_ARP, 0, NULL, 28, PASS, BACKEND_4},
	{"IPv4 for nobody", ETH_P_IP, IPPROTO_TCP, other4, BODY, PASS, BACKEND_4},
	{"IPv4 TCP by IPv4", ETH_P_IP, IPPROTO_TCP, vip4, BODY, TX, BACKEND_4},
	{"IPv4 UDP by IPv4", ETH_P_IP, IPPROTO_UDP, vip4, BODY, TX, BACKEND_4},
	{"IPv4 TCP by IPv6", ETH_P_IP, IPPROTO_TCP, vip4, BODY, TX, BACKEND_6},
	{"IPv6 TCP by IPv4", ETH_P_IPV6, IPPROTO_TCP, vip6, BODY, TX, BACKEND_4},
	{"IPv6 TCP by IPv6", ETH_P_IPV6, IPPROTO_TCP, vip6, BODY, TX, BACKEND_6},
	{"IPv4 TCP by GUE", ETH_P_IP, IPPROTO_TCP, vip4, BODY, TX, BACKEND_GUE},
	{"IPv4 UDP by GUE", ETH_P_IP, IPPROTO_UDP, vip4, BODY, TX, BACKEND_GUE},
	{"IPv4 TCP cut off", ETH_P_IP, IPPROTO_TCP, vip4, 2, DROP, BACKEND_4},
};

static uint16_t checksum(const void *from, size_t length)
{
	const uint8_t *bytes = from;
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < length; i += 2)
		sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static size_t ip_write(const struct golden *golden, uint8_t *at)
{
	struct iphdr ip4 = {.version = 4,
			    .ihl = 5,
			    .tos = TRAFFIC_CLASS,
			    .tot_len = htons(sizeof ip4 + golden->body),
			    .ttl = 61,
			    .protocol = golden->proto};
	struct ipv6hdr ip6 = {.version = 6,
			      .priority = TRAFFIC_CLASS >> 4,
			      .flow_lbl = {(TRAFFIC_CLASS & 0xf) << 4},
			      .payload_len = htons(golden->body),
			      .nexthdr = golden->proto,
			      .hop_limit = 61};
	__be16 check;

	if (golden->ethertype == ETH_P_IP) {
		memcpy(&ip4.saddr, client4, sizeof client4);
		memcpy(&ip4.daddr, golden->to, sizeof ip4.daddr);
		check = htons(checksum(&ip4, sizeof ip4));
		memcpy(&ip4.check, &check, sizeof check);
		memcpy(at, &ip4, sizeof ip4);
		return sizeof ip4;
	}
	if (golden->ethertype == ETH_P_IPV6) {
		memcpy(&ip6.saddr, client6, sizeof client6);
		memcpy(&ip6.daddr, golden->to, sizeof ip6.daddr);
		memcpy(at, &ip6, sizeof ip6);
		return sizeof ip6;
	}
	return 0;
}

/* A frame whose body begins with ports and, as TCP, says SYN. */
static size_t frame_write(const struct golden *golden, uint8_t frame[ROOM])
{
	struct ethhdr ethernet = {.h_proto = htons(golden->ethertype)};
	size_t length = sizeof ethernet;

	memset(frame, 0, ROOM);
	memcpy(ethernet.h_dest, own_mac, ETH_ALEN);
	memcpy(ethernet.h_source, hop_mac, ETH_ALEN);
	memcpy(frame, &ethernet, sizeof ethernet);
	length += ip_write(golden, frame + length);
	for (size_t i = 0; i < golden->body; i++)
		frame[length + i] = i;
	frame[length] = 0x9c;
	frame[length + 2] = PORT >> 8;
	frame[length + 3] = PORT & 0xff;
	if (golden->proto == IPPROTO_TCP && golden->body > 13) {
		frame[length + 12] = 5 << 4;
		frame[length + 13] = 2;
	}
	if (golden->proto == IPPROTO_UDP) {
		frame[length + 4] = 0;
		frame[length + 5] = golden->body;
	}
	return length + golden->body;
}

/* Length of a right outer header for length bytes of packet, or 0. */
static size_t outer4_judge(const uint8_t *at, size_t length, uint8_t proto, const uint8_t to[4])
{
	struct iphdr ip;

	memcpy(&ip, at, sizeof ip);
	if (ip.version != 4 || ip.ihl != 5 || ip.tos != TRAFFIC_CLASS ||
	    ntohs(ip.tot_len) != sizeof ip + length || ip.protocol != proto || checksum(&ip, sizeof ip) ||
	    memcmp(&ip.daddr, to, sizeof ip.daddr) || memcmp(&ip.saddr, outer_src4, sizeof outer_src4) ||
	    ip.frag_off & htons(0x3fff))
		return 0;
	return sizeof ip;
}

/* UDP and GUE around an IPv4 packet. A SYN names no other hop, anything else the slot's other one. */
static size_t gue_judge(const uint8_t *at, size_t length, bool syn)
{
	size_t all = sizeof(struct udphdr) + sizeof(struct hf_gue) + (syn ? 0 : sizeof outer_dst4);
	size_t outer = outer4_judge(at, length + all, IPPROTO_UDP, outer_gue4);
	struct udphdr udp;
	struct hf_gue gue;

	memcpy(&udp, at + outer, sizeof udp);
	memcpy(&gue, at + outer + sizeof udp, sizeof gue);
	if (!outer || ntohs(udp.dest) != HF_GUE_PORT || ntohs(udp.len) != length + all ||
	    gue.version_length != (syn ? 1 : 2) || gue.proto != IPPROTO_IPIP || gue.next || gue.count != !syn)
		return 0;
	if (!syn && memcmp(at + outer + sizeof udp + sizeof gue, outer_dst4, sizeof outer_dst4))
		return 0;
	return outer + all;
}

static size_t outer6_judge(const uint8_t *at, size_t length, bool inner6)
{
	struct ipv6hdr ip;

	memcpy(&ip, at, sizeof ip);
	if (at[0] != (0x60 | TRAFFIC_CLASS >> 4) || at[1] >> 4 != (TRAFFIC_CLASS & 0xf) ||
	    ntohs(ip.payload_len) != length || ip.nexthdr != (inner6 ? IPPROTO_IPV6 : IPPROTO_IPIP) ||
	    memcmp(&ip.daddr, outer_dst6, sizeof outer_dst6) ||
	    memcmp(&ip.saddr, outer_src6, sizeof outer_src6))
		return 0;
	return sizeof ip;
}

static bool wrapped_right(const struct golden *golden, const uint8_t *frame, size_t length,
			  const uint8_t *out, size_t out_length)
{
	bool by6 = golden->backend == BACKEND_6, inner6 = golden->ethertype == ETH_P_IPV6;
	const uint8_t *at = out + ETH_HLEN;
	size_t packet = length - ETH_HLEN, outer;

	if (golden->backend == BACKEND_GUE)
		outer = gue_judge(at, packet, golden->proto == IPPROTO_TCP);
	else if (by6)
		outer = outer6_judge(at, packet, inner6);
	else
		outer = outer4_judge(at, packet, inner6 ? IPPROTO_IPV6 : IPPROTO_IPIP, outer_dst4);
	return outer && out_length == length + outer && !memcmp(out, hop_mac, ETH_ALEN) &&
	       !memcmp(out + ETH_ALEN, own_mac, ETH_ALEN) && out[12] == (by6 ? 0x86 : 0x08) &&
	       out[13] == (by6 ? 0xdd : 0x00) && !memcmp(at + outer, frame + ETH_HLEN, packet);
}

static int try_one(const struct dataplane *dataplane, int program, const struct golden *golden,
		   struct refusal *refusal)
{
	uint8_t frame[ROOM], out[ROOM];
	size_t length = frame_write(golden, frame);
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = length, .data_out = out,
		    .data_size_out = sizeof out, .repeat = 1);
	uint64_t *slots = &dataplane->slots[dataplane->tables[(uint32_t)dataplane->pools[POOL]].first];

	for (uint32_t i = 0; i < SLOTS; i++) /* and the hops stay */
		slots[i] = hf_slot_with_hops(hf_slot_word(golden->backend, golden->backend, 0),
					     hf_slot_hops(slots[i]));
	if (bpf_prog_test_run_opts(program, &options))
		return refuse(refusal, -errno, "the self-test cannot run: %s", strerror(errno));
	if (options.retval != golden->verdict)
		return refuse(refusal, -ENOEXEC,
			      "the new program fails its self-test: %s: verdict %u, not %u", golden->name,
			      options.retval, golden->verdict);
	if (golden->verdict == TX ? !wrapped_right(golden, frame, length, out, options.data_size_out)
				  : options.data_size_out != length || memcmp(out, frame, length) != 0)
		return refuse(refusal, -ENOEXEC, "the new program fails its self-test: %s: wrong bytes",
			      golden->name);
	return 0;
}

static struct hf_service service_of(uint8_t proto, const uint8_t *vip, uint8_t family, uint16_t number)
{
	struct hf_service service = {
		.key = {.proto = proto, .port = htons(PORT)}, .pool = POOL, .number = number};

	memcpy(service.key.addr, vip, family == 6 ? 16 : 4);
	service.key.kind = hf_kind(family, 0);
	service.counters = 1;
	service.ordinals = 3;
	service.idle = 60;
	return service;
}

static void backends_make(struct backend_image backends[3])
{
	struct hf_backend entry = {.ordinal = 1,
				   .flags = HF_BACKEND_TAKES_NEW | HF_BACKEND_SERVES_TCP |
					    HF_BACKEND_SERVES_UDP,
				   .mtu = MTU};

	backends[0] = (struct backend_image){.number = BACKEND_4, .entry = entry};
	backends[0].entry.family = HF_IPV4;
	memcpy(backends[0].entry.dst, outer_dst4, sizeof outer_dst4);
	memcpy(backends[0].entry.src, outer_src4, sizeof outer_src4);
	backends[0].entry.csum = hf_outer_csum(backends[0].entry.src[0], backends[0].entry.dst[0]);
	backends[1] = (struct backend_image){.number = BACKEND_6, .entry = entry};
	backends[1].entry.family = HF_IPV6;
	memcpy(backends[1].entry.dst, outer_dst6, sizeof outer_dst6);
	memcpy(backends[1].entry.src, outer_src6, sizeof outer_src6);
	backends[2] = backends[0];
	backends[2].number = BACKEND_GUE;
	backends[2].entry.encap = HF_ENCAP_GUE;
	backends[2].entry.gue_port = htons(HF_GUE_PORT);
	memcpy(backends[2].entry.dst, outer_gue4, sizeof outer_gue4);
	backends[2].entry.csum = hf_outer_csum(backends[2].entry.src[0], backends[2].entry.dst[0]);
}

/* Two families of backends, a pool, and a service of each kind. */
static int pool_fill(struct dataplane *dataplane, struct refusal *refusal)
{
	const struct hf_service services[] = {service_of(IPPROTO_TCP, vip4, 4, 1),
					      service_of(IPPROTO_UDP, vip4, 4, 2),
					      service_of(IPPROTO_TCP, vip6, 6, 3)};
	const uint16_t highs[] = {PORT, PORT, PORT};
	uint64_t words[SLOTS] = {};
	struct hf_hops hops[SLOTS];
	struct pool_image image = {.number = POOL,
				   .table = {.size = SLOTS, .seed = 1, .pool = POOL},
				   .words = words,
				   .hops = hops};
	struct plan_pool pool = {.number = POOL, .slots = SLOTS, .image = &image};
	struct backend_image backends[3];
	struct plan_backend changes[] = {{PLAN_ADD, BACKEND_4, &backends[0]},
					 {PLAN_ADD, BACKEND_6, &backends[1]},
					 {PLAN_ADD, BACKEND_GUE, &backends[2]}};
	struct directory directory = {};
	struct plan plan = {.pools = &pool,
			    .pool_count = 1,
			    .backends = changes,
			    .backend_count = 3,
			    .services = true,
			    .directory = &directory};
	int r = directory_build(services, highs, 3, NULL, &directory);

	for (int i = 0; i < SLOTS; i++)
		hops[i] = (struct hf_hops){.count = 2, .backend = {BACKEND_GUE, BACKEND_4}};
	backends_make(backends);
	if (!r)
		r = dataplane_apply(dataplane, &plan, 1, refusal);
	directory_free(&directory);
	return r;
}

static int prepare(struct dataplane *dataplane, struct refusal *refusal)
{
	const struct dataplane_limits small = {.slots = 64, .hops = 64, .flows = 64, .counters = 8};
	struct hf_link *link;
	int r = programs_load(dataplane, &small, refusal);

	if (!r)
		r = maps_memory_map(dataplane, refusal);
	if (!r)
		r = ranges_derive(dataplane, refusal);
	if (!r)
		r = pool_fill(dataplane, refusal);
	if (r)
		return r;
	dataplane->control->abi = HF_ABI_VERSION;
	link = &dataplane->control->links[1];
	*link = (struct hf_link){.ifindex = 1, .mtu = MTU, .flags = HF_LINK_ONLY_INGRESS};
	memcpy(link->mac, own_mac, sizeof link->mac);
	dataplane_next_hop_set(dataplane, BACKEND_4, hop_mac, 1);
	dataplane_next_hop_set(dataplane, BACKEND_6, hop_mac, 1);
	dataplane_next_hop_set(dataplane, BACKEND_GUE, hop_mac, 1);
	return 0;
}

int selftest_run(struct refusal *refusal)
{
	struct dataplane *dataplane;
	int r = dataplane_new("selftest", true, &dataplane, refusal);

	if (r)
		return r;
	r = prepare(dataplane, refusal);
	for (size_t i = 0; !r && i < sizeof goldens / sizeof *goldens; i++)
		r = try_one(dataplane, dataplane->prog, &goldens[i], refusal);
	dataplane_close(dataplane);
	return r;
}
