/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the receiver's program on a backend host and user space share. Plain types, no logic.
 * The receiver takes the outer header off packets from allowed sources to VIPs that the host has.
 */
#ifndef HOLDFAST_RECEIVER_H
#define HOLDFAST_RECEIVER_H

#include <linux/types.h>

enum { HF_RECEIVER_MAX_PREFIXES = 1024, HF_RECEIVER_MAX_VIPS = 4096, HF_RECEIVER_MAX_WAYS = 16384 };

/* prefixes: an LPM trie of outer source prefixes that may send; IPv4 as ::ffff:a.b.c.d with 96 bits added.
 * Value: 1. */
struct hf_receiver_prefix {
	__u32 bits;
	__u8 addr[16];
};

/* vips: a hash of inner destinations that the host has (IPv4 mapped as above). Value: 1. */
struct hf_receiver_vip {
	__u8 addr[16];
};

/* ways: an LPM trie of the host's routes, keys as of prefixes. What is behind each, seen from the interface:
 */
enum hf_receiver_way {
	HF_WAY_ELSEWHERE, /* a route out of another interface */
	HF_WAY_HERE,      /* a route out of this interface */
	HF_WAY_NONE,      /* unreachable, prohibit, blackhole */
	HF_WAY_OWN        /* an address of the host */
};

/* X(NAME, number, word, verdict, sentence), TX: sent or redirected to another host; verdicts: a counter
 * (__u64, packets) each, on each processor, in map verdicts. */
#define HF_RECEIVER_VERDICTS(X)                                                                           \
	X(NOT_WRAPPED, 1, "not-wrapped", PASS, "no wrapped packet: left to the stack untouched")          \
	X(ACCEPTED, 2, "accepted", PASS, "unwrapped and given to the host's stack")                       \
	X(BAD_SOURCE, 3, "bad-source", DROP, "wrapped by a host outside the allowed prefixes")            \
	X(NOT_A_VIP, 4, "not-a-vip", DROP, "unwrapped, its destination is no address of this host")       \
	X(BAD_INNER, 5, "bad-inner", DROP, "wrapped, but what is inside cannot be read")                  \
	X(PASSED_ON, 6, "passed-on", TX, "no socket here: sent to the next hop")                          \
	X(ACCEPTED_SOCKET, 7, "accepted-socket", PASS, "unwrapped: its connection is here")               \
	X(ACCEPTED_COOKIE, 8, "accepted-cookie", PASS, "unwrapped: it answers a SYN cookie of this host") \
	X(ACCEPTED_LAST, 9, "accepted-last", PASS, "unwrapped: there is no further hop")                  \
	X(HANDED_OVER, 10, "handed-over", PASS, "no socket here: left to the tc program to pass on")      \
	X(NO_ROUTE, 11, "no-route", DROP, "no socket here, and the host's routes refuse the next hop")    \
	X(OTHER_HOST, 12, "other-host", DROP, "no socket here, and the frame is for another MAC address") \
	X(CE_NOT_ECT, 13, "ce-not-ect", DROP, "congestion is marked outside, but the flow has no ECN")    \
	X(TTL_EXPIRED, 14, "ttl-expired", DROP, "no socket here, and its outer TTL allows no further hop")

enum hf_receiver_verdict {
#define X(name, number, word, verdict, sentence) HF_RECEIVER_##name = number,
	HF_RECEIVER_VERDICTS(X)
#undef X
		HF_RECEIVER_LIMIT = 32, /* entries of the verdicts map */
};

#endif
