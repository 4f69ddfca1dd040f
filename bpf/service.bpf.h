/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * service: which service the packet is for. The exact port first; then, if any service has a range, every
 * length of port prefix that is in use, longest first.
 */
#pragma once

#include "maps.bpf.h"
#include "packet.bpf.h"

enum {
	TAIL_PROTO_SHIFT = 16,
	TAIL_KIND_SHIFT = 24,
};
#define NOT_FOUND        (~0U)
#define DIRECTORY_RANGES (((1ULL << HF_PORT_BITS) - 1) << HF_DIRECTORY_LENGTHS_SHIFT)
#define DIRECTORY_SEED   (((1ULL << HF_DIRECTORY_SEED_BITS) - 1) << HF_DIRECTORY_SEED_SHIFT)

/* A struct hf_service_key, in words that stay in registers. */
struct key {
	union hf_address address;
	__u64 tail; /* port, protocol and kind, as they lie in memory: 32 bits */
};

static __always_inline __u64 key_tail(const struct packet *packet, __be16 port, __u8 proto, __u8 bits)
{
	__u64 kind = hf_kind(packet->tuple.family, bits);

	return port | (__u64)proto << TAIL_PROTO_SHIFT | kind << TAIL_KIND_SHIFT;
}

static __always_inline bool service_is(const struct hf_service *service, const struct key *key)
{
	return load32(&service->key.port) == (__u32)key->tail &&
	       !((load64(&service->key.addr[0]) ^ key->address.halves[0]) |
		 (load64(&service->key.addr[2]) ^ key->address.halves[1]));
}

/* The place of services where the probe-th look for a key is. */
static __always_inline __u32 directory_place(__u64 directory, const struct key *key, bool is_ipv6,
					     __u32 probe)
{
	__u32 first = hf_directory_first(directory);
	__u32 last = (1U << (hf_directory_log2(directory) & 31)) - 1;
	__u64 seed = directory & DIRECTORY_SEED;
	__u32 hash = hf_service_mix(key->address.halves[0], key->address.halves[1], key->tail, is_ipv6, seed);

	return first + ((hash + probe) & last);
}

static __always_inline __u32 directory_probe(__u64 directory, const struct key *key)
{
	bool is_ipv6 = key->tail >> TAIL_KIND_SHIFT & HF_KIND_IPV6;

	for (__u32 probe = 0; probe < HF_MAX_PROBES; probe++) {
		__u32 place = directory_place(directory, key, is_ipv6, probe);
		const struct hf_service *service = map_at(&services, place);

		/* The verifier counts rounds by this variable, so the compiler must not count by another. */
		barrier_var(probe);
		if (!service)
			return NOT_FOUND;
		if (service_is(service, key))
			return place;
		if (!service->key.proto)
			return NOT_FOUND;
	}
	return NOT_FOUND;
}

/*
 * Out of line, as what few packets need, and not static: the verifier then looks at it once, not at every
 * call. Such functions return numbers only.
 */
__noinline __u32 directory_search(__u64 directory, const struct key *wanted)
{
	struct key key;

	if (!wanted)
		return NOT_FOUND;
	key = *wanted;
	for (int bits = HF_PORT_BITS; bits >= 0; bits--) {
		__u16 port = bpf_ntohs(wanted->tail) & (0xffff0000U >> bits);
		__u32 kind = (wanted->tail >> TAIL_KIND_SHIFT & HF_KIND_IPV6) | bits;
		__u32 place;

		if (!hf_directory_has_length(directory, bits))
			continue;
		key.tail =
			(wanted->tail & 0xff << TAIL_PROTO_SHIFT) | kind << TAIL_KIND_SHIFT | bpf_htons(port);
		place = directory_probe(directory, &key);
		if (place != NOT_FOUND)
			return place;
	}
	return NOT_FOUND;
}

__noinline int vip_exists(__u64 directory, const struct key *key)
{
	return key && directory_probe(directory, key) != NOT_FOUND;
}

/* The reason, if the packet's address is a VIP; else it is none of ours, whatever is wrong with it. */
static __always_inline int vip_reason(const struct packet *packet, enum hf_reason reason)
{
	struct key key = {packet->tuple.daddr, key_tail(packet, 0, HF_PROTO_VIP, 0)};

	if (packet->again)
		return -reason;
	return vip_exists(load64(&packet->control->services), &key) ? -reason : -HF_REASON_NO_SERVICE;
}

static __always_inline int service_find(struct packet *packet)
{
	struct key key = {packet->tuple.daddr,
			  key_tail(packet, packet->tuple.ports >> 16, packet->tuple.proto, HF_PORT_BITS)};
	__u64 directory = load64(&packet->control->services);
	struct key wanted;

	/* Else it is computed twice, for hashing and for comparing. */
	barrier_var(key.tail);
	packet->service =
		map_at(&services, directory_place(directory, &key, packet->tuple.family == HF_IPV6, 0));
	if (likely(packet->service && service_is(packet->service, &key)))
		return 0;
	/* No neighbour can have it behind an empty entry, and no range where there are none. */
	if (packet->service && !packet->service->key.proto && !(directory & DIRECTORY_RANGES))
		return -HF_REASON_NO_SERVICE;
	wanted = key;
	packet->service = map_at(&services, directory_search(directory, &wanted));
	return packet->service ? 0 : -HF_REASON_NO_SERVICE;
}
