/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The IPv4 header's checksum. Words stay in network order: the sum is the same in any order (RFC 1071, 2.B).
 */
#pragma once

#include <linux/types.h>
#include <bpf/bpf_helpers.h>

static __always_inline __u16 checksum_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return ~((sum & 0xffff) + (sum >> 16));
}

/* For a change of one word, or of two that lie side by side: RFC 1624, equation 3. */
static __always_inline __u16 checksum_replace(__u16 checksum, __u32 before, __u32 after)
{
	return checksum_fold((__u16)~checksum + (__u16)~before + (__u16) ~(before >> 16) + (__u16)after +
			     (after >> 16));
}
