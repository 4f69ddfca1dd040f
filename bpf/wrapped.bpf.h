/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the receiver's stages know of a wrapped packet. Every stage returns 0 (go on) or a verdict
 * (holdfast/receiver.h).
 */
#pragma once

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <holdfast/receiver.h>

enum {
	LONGEST_OUTER = 1024,   /* with its extension headers */
	LONGEST_HEADER = 0x7ff, /* with GUE and hops: a mask, for the verifier */
	ANY_FRAGMENT = 0x3fff,
	LATER_FRAGMENT = 0x1fff,
	ECN_BITS = 3,
	ALL_BITS = HF_RECEIVER_FAMILY_BITS + 128,
};

struct wrapped {
	struct xdp_md *ctx;
	void *start; /* of the Ethernet header */
	void *end;
	struct hf_receiver_address source, target; /* outer */
	struct hf_receiver_address destination;    /* inner */
	void *inner;
	__u32 header; /* bytes between the Ethernet header and the inner packet */
	__u32 shim;   /* of them before the header between the outer IP header and the inner packet */
	__u8 family;  /* of the outer header: its version */
	__u8 proto;   /* of the outer header, then of the inner packet: IPPROTO_IPIP or IPPROTO_IPV6 */
	__u8 ecn;     /* of the outer header */
	__u8 next;    /* hop to try next */
	__u8 count;   /* hops, 0: the packet names none */
	int action;   /* when the verdict is HF_RECEIVER_PASSED_ON */
};

static __always_inline struct hf_receiver_address ipv4_key(__be32 address)
{
	struct hf_receiver_address key = {.family = 4};

	__builtin_memcpy(key.bytes, &address, sizeof(address));
	return key;
}

static __always_inline struct hf_receiver_address ipv6_key(const void *address)
{
	struct hf_receiver_address key = {.family = 6};

	__builtin_memcpy(key.bytes, address, sizeof(key.bytes));
	return key;
}
