/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ecn: routers mark congestion in the outer header, and the flow's ends read the inner one. Figure 4 of RFC
 * 6040 says how the two combine; RFC 9601 says the same for GRE and GUE.
 */
#pragma once

#include "checksum.bpf.h"
#include "wrapped.bpf.h"

enum { NOT_ECT, ECT_1, ECT_0, CE };

/* Combinations that the RFC calls potentially dangerous are forwarded as it says, but for CE on Not-ECT. */
static __always_inline int ecn_take(struct wrapped *packet)
{
	struct iphdr *ip = packet->inner;
	bool is_ipv4 = packet->proto == IPPROTO_IPIP;
	__u8 shift = is_ipv4 ? 0 : 4, *field = (__u8 *)ip + 1;
	__u8 outer = packet->ecn, inner = *field >> shift & ECN_BITS, change;

	if (outer == NOT_ECT || outer == ECT_0 || inner == CE)
		return 0;
	if (inner == NOT_ECT)
		return outer == CE ? HF_RECEIVER_CE_NOT_ECT : 0;
	change = (inner ^ outer) << shift;
	if (is_ipv4) {
		__u16 word = *(__u16 *)ip;

		ip->check = checksum_replace(ip->check, word, word ^ change << 8);
	}
	*field ^= change;
	return 0;
}
