/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Why a packet was not forwarded: one list gives the counter's index, the CLI's word and metric's label, the
 * verdict and the sentence. A stage of the data plane returns the negative number. Numbers are never re-used.
 */
#pragma once

/* X(NAME, number, word, verdict, sentence): PASS leaves the packet to the host's stack untouched. */
#define HF_REASONS(X)                                                                                        \
	X(NOT_IP, 1, "not-ip", PASS, "neither IPv4 nor IPv6")                                                \
	X(NOT_UNICAST, 2, "not-unicast", PASS, "sent to a broadcast or multicast Ethernet address")          \
	X(BAD_HEADER, 3, "bad-header", PASS, "an IP header too short or malformed to read")                  \
	X(NO_SERVICE, 4, "no-service", PASS, "for no service")                                               \
	X(VIP_OTHER, 5, "vip-other", PASS, "for a VIP, but of a protocol that is not balanced")              \
	X(TRUNCATED, 6, "truncated", DROP, "for a VIP, but cut off before its ports")                        \
	X(FRAGMENT, 7, "fragment", DROP, "a fragment for a VIP: its ports cannot be known")                  \
	X(NO_BACKEND, 8, "no-backend", DROP, "no backend of the pool takes this flow")                       \
	X(NEXT_HOP, 9, "next-hop", DROP, "the backend's next hop has no MAC address yet")                    \
	X(TOO_BIG, 10, "too-big", DROP, "wrapped, it would exceed the path's MTU")                           \
	X(NO_HEADROOM, 11, "no-headroom", DROP, "the driver left no room for the outer header")              \
	X(NO_TABLE, 12, "no-table", DROP, "the pool has no table loaded")                                    \
	X(REDIRECT, 13, "redirect", DROP, "the interface towards the backend cannot be redirected to")       \
	X(EXTENSIONS, 14, "extensions", DROP, "for a VIP, behind more IPv6 extension headers than are read") \
	X(OTHER_MAC, 15, "other-mac", PASS, "sent to the MAC address of another host")

enum hf_reason {
#define X(name, number, word, verdict, sentence) HF_REASON_##name = number,
	HF_REASONS(X)
#undef X
		HF_REASON_LIMIT = 64, /* entries of the reasons map */
};
