/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space prepares of a backend's outer header.
 */
#pragma once

#include <holdfast/abi.h>

enum { HF_OUTER_TTL = 64 };

/*
 * hf_backend.csum: the RFC 1071 sum of the outer IPv4 header's words that are the same for every packet to
 * this backend, each word as it lies in memory, not folded, not complemented. In it are version and header
 * length (0x45), DF with offset 0, TTL and both addresses; without the bits of src_mask, which must be 0 in
 * src. Not in it are TOS, total length, protocol, and what the flow's hash puts under src_mask: the data
 * plane adds them and folds. The identification is 0: DF is always set, which makes the packet atomic (RFC
 * 6864, 4.1). 0 for an IPv6 outer header.
 */
static inline __u32 hf_outer_csum(__be32 src, __be32 dst)
{
	const union {
		__u8 bytes[16];
		__u16 words[8];
	} header = {.bytes = {0x45, 0, 0, 0, 0, 0, 0x40, 0, HF_OUTER_TTL, 0}};
	__u32 sum = 0;

	for (int i = 0; i < 8; i++)
		sum += header.words[i];
	sum += (src & 0xffff) + (src >> 16);
	sum += (dst & 0xffff) + (dst >> 16);
	return sum;
}
