/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Generic UDP Encapsulation (draft-ietf-intarea-gue-04) as the balancer sends it and the receiver reads it,
 * with the private data of GitHub's GLB director (github/glb-director, docs/development/gue-header.md):
 *
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +---+-+---------+---------------+-------------------------------+
 *     | 0 |C|  Hlen   |  Proto/ctype  |             Flags             |
 *     +---+-+---------+---------------+---------------+---------------+
 *     |       Private data type       |   Next hop    |   Hop count   |
 *     +-------------------------------+---------------+---------------+
 *     |                     hops, 4 or 16 bytes each                  |
 *
 * Version, C and Flags are 0; Hlen counts the 32-bit words after the first; Proto is 4 or 41. Type 0 has IPv4
 * hops. Type 1 is the same with IPv6 hops, for packets whose outer header is IPv6; GLB has no such type. The
 * outer destination is no hop of the list: the list says where else a packet may be tried, best first, and
 * Next hop which is to be tried next, 0 as the balancer sends it. A receiver that has no use for a packet and
 * may try another puts that hop into the outer destination and adds one to Next hop, so that no packet goes
 * round for ever. The outer source stays the balancer's. The UDP checksum is 0 in both families (RFC 6935);
 * the source port spreads by flow.
 */
#pragma once

#include <linux/types.h>

enum {
	HF_GUE_PORT = 19523, /* where receivers listen, unless told otherwise */
	HF_GUE_FIRST_SOURCE_PORT = 0xc000,
	HF_GUE_HOPS_IPV4 = 0, /* private data types */
	HF_GUE_HOPS_IPV6 = 1,
	HF_GUE_LENGTH_MASK = 0x1f, /* of version_length */
};

struct hf_gue {
	__u8 version_length; /* version, C, Hlen */
	__u8 proto;
	__be16 flags;
	__be16 type;
	__u8 next;
	__u8 count;
};
_Static_assert(sizeof(struct hf_gue) == 8, "struct hf_gue is on the wire");
