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

static __always_inline bool service_is(const struct hf_service *service, const struct hf_service_key *key)
{
	return load32(&service->key.port) == load32(&key->port) && service->key.addr[0] == key->addr[0] &&
	       service->key.addr[1] == key->addr[1] && service->key.addr[2] == key->addr[2] &&
	       service->key.addr[3] == key->addr[3];
}

static __always_inline const struct hf_service *directory_find(__u64 directory,
							       const struct hf_service_key *key)
{
	__u32 first = directory & ((1 << HF_DIRECTORY_FIRST_BITS) - 1);
	__u32 last = (1U << (directory >> HF_DIRECTORY_LOG2_SHIFT & 31)) - 1;
	__u32 at = hf_service_hash(key);

	for (int probe = 0; probe < HF_MAX_PROBES; probe++, at++) {
		const struct hf_service *service = map_at(&services, first + (at & last));

		if (!service || !service->key.proto)
			return NULL;
		if (likely(service_is(service, key)))
			return service;
	}
	return NULL;
}

/* Out of line, as all that few packets need: is the address a VIP, whatever the port? */
static __noinline bool vip_find(__u64 directory, struct hf_service_key *key)
{
	key->port = 0;
	key->proto = HF_PROTO_VIP;
	return directory_find(directory, key);
}

static __noinline const struct hf_service *directory_find_range(__u64 directory, struct hf_service_key *key)
{
	__u32 lengths = directory >> HF_DIRECTORY_LENGTHS_SHIFT;
	__u16 port = bpf_ntohs(key->port);
	__u8 family = key->kind & KIND_IPV6;

	for (int bits = PORT_BITS - 1; bits >= 0; bits--) {
		const struct hf_service *service;

		if (!(lengths >> bits & 1))
			continue;
		key->port = bpf_htons(port & (0xffff0000U >> bits));
		key->kind = family | bits;
		service = directory_find(directory, key);
		if (service)
			return service;
	}
	return NULL;
}

static __always_inline int service_find(struct packet *packet)
{
	const struct hf_control *control_now = map_at(&control, 0);
	struct hf_service_key key = {.port = packet->tuple.dport, .proto = packet->tuple.proto};
	__u64 directory;

	if (!control_now)
		return -HF_REASON_NO_SERVICE;
	directory = load64(&control_now->services);
	__builtin_memcpy(key.addr, packet->tuple.daddr, sizeof(key.addr));
	key.kind = packet->family == HF_IPV6 ? KIND_IPV6 : 0;
	if (unlikely(packet->portless))
		return vip_find(directory, &key) ? -packet->portless : -HF_REASON_NO_SERVICE;
	key.kind |= PORT_BITS;
	packet->service = directory_find(directory, &key);
	if (likely(packet->service))
		return 0;
	if (directory >> HF_DIRECTORY_LENGTHS_SHIFT & ((1 << PORT_BITS) - 1))
		packet->service = directory_find_range(directory, &key);
	return packet->service ? 0 : -HF_REASON_NO_SERVICE;
}

#endif
