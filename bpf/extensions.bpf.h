/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * extensions: what may lie between an IPv6 header and the header of TCP, UDP or a tunnel (RFC 8200, 4).
 */
#pragma once

#include <linux/in.h>
#include <linux/ipv6.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <holdfast/reasons.h>

enum {
	MAX_EXTENSIONS = 6,
	/* Of a fragment header's first word: */
	FRAGMENT_OFFSET = 0xfff8,
	FRAGMENT_ANY = 0xfff9, /* the offset, and more fragments: with neither it is atomic (RFC 6946) */
};

/*
 * Steps over extension headers, and over a fragment header without the bits that are fragment. The fixed
 * header at ip was found to be there. *proto becomes what the last header names. Returns where the next
 * begins, as bytes from ip, or a negative reason.
 */
static __always_inline int extensions_skip(const void *ip, const void *end, __u32 fragment, __u8 *proto)
{
	__u32 offset = sizeof(struct ipv6hdr);
	__u8 next = ((const struct ipv6hdr *)ip)->nexthdr;

	for (int i = 0; i < MAX_EXTENSIONS; i++) {
		const __u8 *extension = ip + offset;

		*proto = next;
		if (next != IPPROTO_HOPOPTS && next != IPPROTO_DSTOPTS && next != IPPROTO_ROUTING &&
		    next != IPPROTO_FRAGMENT)
			return offset;
		if ((const void *)extension + 8 > end)
			return -HF_REASON_TRUNCATED;
		if (next == IPPROTO_FRAGMENT && *(const __be32 *)extension & bpf_htonl(fragment))
			return -HF_REASON_FRAGMENT;
		offset += next == IPPROTO_FRAGMENT ? 8 : (extension[1] + 1) * 8;
		next = extension[0];
	}
	return -HF_REASON_EXTENSIONS;
}
