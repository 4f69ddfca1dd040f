/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * here: whether a wrapped packet is for this host at all. A switch that floods delivers frames for other
 * hosts as well, and a router's or a guest's host sees tunnels that only pass through it. The receiver
 * leaves all of these to the stack.
 */
#pragma once

#include "wrapped.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, HF_RECEIVER_MAX_MACS);
	__type(key, struct hf_receiver_mac);
	__type(value, __u8);
} macs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, HF_RECEIVER_MAX_ADDRESSES);
	__type(key, struct hf_receiver_prefix);
	__type(value, __u8);
} addresses SEC(".maps");

static __always_inline int here_mac_check(const struct wrapped *packet)
{
	const struct ethhdr *ethernet = packet->start;
	struct hf_receiver_mac mac = {};

	if ((void *)(ethernet + 1) > packet->end || ethernet->h_dest[0] & 1)
		return HF_RECEIVER_NOT_UNICAST;
	__builtin_memcpy(mac.bytes, ethernet->h_dest, sizeof(mac.bytes));
	return bpf_map_lookup_elem(&macs, &mac) ? 0 : HF_RECEIVER_OTHER_MAC;
}

static __always_inline int here_check(const struct wrapped *packet)
{
	struct hf_receiver_prefix target = {ALL_BITS, packet->target};
	int verdict = here_mac_check(packet);

	if (verdict)
		return verdict;
	return bpf_map_lookup_elem(&addresses, &target) ? 0 : HF_RECEIVER_NOT_OURS;
}
