/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * service: which service the packet is for. The exact port first; then, if any service has a range, every
 * length of port prefix that is in use, longest first.
 */
#ifndef HOLDFAST_SERVICE_BPF_H
#define HOLDFAST_SERVICE_BPF_H

#include "maps.bpf.h"
#include "packet.bpf.h"

enum { KIND_IPV6 = 0x20, PORT_BITS = 16 };
#define NOT_FOUND (~0U)

/* The port, the protocol and the kind, as they lie in memory. */
static __always_inline __u32 key_tail(const struct hf_service_key *key)
{
	return key->port | (__u32)key->proto << 16 | (__u32)key->kind << 24;
}

static __always_inline bool service_is(const struct hf_service *service, const struct hf_service_key *key)
{
	return load32(&service->key.port) == key_tail(key) && address_equal(service->key.addr, key->addr);
}

/* Returns the index of services, or NOT_FOUND. */
static __always_inline __u32 directory_find(__u64 directory, const struct hf_service_key *key,
					    const struct hf_service **ret)
{
	__u32 first = directory & ((1 << HF_DIRECTORY_FIRST_BITS) - 1);
	__u32 last = (1U << (directory >> HF_DIRECTORY_LOG2_SHIFT & 31)) - 1;
	__u32 hash = hf_service_hash(key);

	for (__u32 probe = 0; probe < HF_MAX_PROBES; probe++) {
		__u32 at = first + ((hash + probe) & last);
		const struct hf_service *service = map_at(&services, at);

		/* The verifier counts rounds by this variable, so the compiler must not count by another. */
		barrier_var(probe);
		if (unlikely(!service))
			return NOT_FOUND;
		*ret = service;
		if (likely(service_is(service, key)))
			return at;
		if (!service->key.proto)
			return NOT_FOUND;
	}
	return NOT_FOUND;
}

/*
 * What few packets need is out of line, and not static: the verifier then looks at it once, not at every
 * call. Such functions return numbers only.
 */
__noinline __u32 range_find(__u64 directory, const struct hf_service_key *port_key)
{
	__u32 lengths = directory >> HF_DIRECTORY_LENGTHS_SHIFT;
	struct hf_service_key key;

	if (!port_key)
		return NOT_FOUND;
	key = *port_key;
	for (int bits = PORT_BITS - 1; bits >= 0; bits--) {
		const struct hf_service *service;
		__u32 found;

		if (!(lengths >> bits & 1))
			continue;
		key.port = bpf_htons(bpf_ntohs(port_key->port) & (0xffff0000U >> bits));
		key.kind = (port_key->kind & KIND_IPV6) | bits;
		found = directory_find(directory, &key, &service);
		if (found != NOT_FOUND)
			return found;
	}
	return NOT_FOUND;
}

__noinline int vip_exists(__u64 directory, const struct hf_service_key *key)
{
	const struct hf_service *service;

	return key && directory_find(directory, key, &service) != NOT_FOUND;
}

static __always_inline __u8 key_family(const struct packet *packet)
{
	return packet->tuple.family == HF_IPV6 ? KIND_IPV6 : 0;
}

/* The reason, if the packet's address is a VIP; else it is none of ours, whatever is wrong with it. */
static __always_inline int vip_reason(const struct packet *packet, enum hf_reason reason)
{
	struct hf_service_key key = {.proto = HF_PROTO_VIP, .kind = key_family(packet)};

	address_copy(key.addr, packet->tuple.daddr);
	return vip_exists(load64(&packet->control->services), &key) ? -reason : -HF_REASON_NO_SERVICE;
}

static __always_inline int service_find(struct packet *packet)
{
	struct hf_service_key key = {
		.port = packet->tuple.dport,
		.proto = packet->tuple.proto,
		.kind = PORT_BITS | key_family(packet),
	};
	__u64 directory = load64(&packet->control->services);

	address_copy(key.addr, packet->tuple.daddr);
	if (likely(directory_find(directory, &key, &packet->service) != NOT_FOUND))
		return 0;
	if (directory >> HF_DIRECTORY_LENGTHS_SHIFT & ((1 << PORT_BITS) - 1)) {
		struct hf_service_key port_key = key;

		packet->service = map_at(&services, range_find(directory, &port_key));
		if (packet->service)
			return 0;
	}
	return -HF_REASON_NO_SERVICE;
}

#endif
