/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the receiver's program on a backend host and user space share. Plain types, no logic.
 * The receiver takes the outer header off packets from allowed sources to VIPs that the host has.
 */
#pragma once

#include <linux/types.h>

enum {
	HF_RECEIVER_MAX_PREFIXES = 1024,
	HF_RECEIVER_MAX_VIPS = 4096,
	HF_RECEIVER_MAX_WAYS = 16384,
	HF_RECEIVER_MAX_ADDRESSES = 65536,
	HF_RECEIVER_MAX_MACS = 4096,
};

/*
 * An address as a key. Its family is part of it: an IPv6 address on the wire may look like any other notation
 * of an IPv4 address (::ffff:a.b.c.d), and must not be taken for it.
 */
struct hf_receiver_address {
	__u32 family;   /* 4 or 6 */
	__u8 bytes[16]; /* network order; IPv4 has the first four, the rest is 0 */
};

/* bits: HF_RECEIVER_FAMILY_BITS and those of the address. No prefix is shorter than its family. */
struct hf_receiver_prefix {
	__u32 bits;
	struct hf_receiver_address address;
};
enum { HF_RECEIVER_FAMILY_BITS = 32 };

/*
 * prefixes: an LPM trie (hf_receiver_prefix) of outer sources that may send. Value: 1.
 * vips: a hash (hf_receiver_address) of inner destinations that the host has. Value: 1.
 * addresses: an LPM trie (hf_receiver_prefix) of the host's addresses: outer destinations. Value: 1.
 */

/* macs: a hash of the MAC addresses that are this host's on the link. Value: 1. */
struct hf_receiver_mac {
	__u8 bytes[6];
	__u8 reserved[2];
};

/* ways: an LPM trie (hf_receiver_prefix) of the host's routes. What is behind each, seen from the interface:
 */
enum hf_receiver_way {
	HF_WAY_ELSEWHERE, /* a route out of another interface */
	HF_WAY_HERE,      /* a route out of this interface */
	HF_WAY_NONE,      /* unreachable, prohibit, blackhole */
	HF_WAY_OWN        /* an address of the host */
};

/* X(NAME, number, word, verdict, sentence), TX: sent or redirected to another host; verdicts: a counter
 * (__u64, packets) each, on each processor, in map verdicts. Numbers are never used again; 12 was
 * other-host. */
#define HF_RECEIVER_VERDICTS(X)                                                                            \
	X(NOT_WRAPPED, 1, "not-wrapped", PASS, "no wrapped packet: left to the stack untouched")           \
	X(ACCEPTED, 2, "accepted", PASS, "unwrapped and given to the host's stack")                        \
	X(BAD_SOURCE, 3, "bad-source", DROP, "wrapped by a host outside the allowed prefixes")             \
	X(NOT_A_VIP, 4, "not-a-vip", DROP, "unwrapped, its destination is not an address of this host")    \
	X(BAD_INNER, 5, "bad-inner", DROP, "wrapped, but what is inside cannot be read")                   \
	X(PASSED_ON, 6, "passed-on", TX, "no socket here: sent to the next hop")                           \
	X(ACCEPTED_SOCKET, 7, "accepted-socket", PASS, "unwrapped: its connection is here")                \
	X(ACCEPTED_COOKIE, 8, "accepted-cookie", PASS, "unwrapped: it answers a SYN cookie of this host")  \
	X(ACCEPTED_LAST, 9, "accepted-last", PASS, "unwrapped: there is no further hop")                   \
	X(HANDED_OVER, 10, "handed-over", PASS, "no socket here: left to the tc program to pass on")       \
	X(NO_ROUTE, 11, "no-route", DROP, "no socket here, and the host's routes refuse the next hop")     \
	X(CE_NOT_ECT, 13, "ce-not-ect", DROP, "congestion is marked outside, but the flow has no ECN")     \
	X(TTL_EXPIRED, 14, "ttl-expired", DROP, "no socket here, and its outer TTL allows no further hop") \
	X(NOT_UNICAST, 15, "not-unicast", PASS,                                                            \
	  "wrapped, in a frame for many hosts: left to the stack untouched")                               \
	X(OTHER_MAC, 16, "other-mac", PASS,                                                                \
	  "wrapped, in a frame for another host: left to the stack untouched")                             \
	X(NOT_OURS, 17, "not-ours", PASS, "wrapped for another host: left to the stack untouched")

enum hf_receiver_verdict {
#define X(name, number, word, verdict, sentence) HF_RECEIVER_##name = number,
	HF_RECEIVER_VERDICTS(X)
#undef X
		HF_RECEIVER_LIMIT = 32, /* entries of the verdicts map */
};
