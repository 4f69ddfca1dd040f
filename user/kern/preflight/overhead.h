/* SPDX-License-Identifier: Apache-2.0 */
/* What wrapping costs, as the preflight of both ends of the way counts it. */
#ifndef HOLDFAST_OVERHEAD_H
#define HOLDFAST_OVERHEAD_H

#include <stdint.h>

enum { PACKET_MAX = 1500 /* bytes of the largest packet that comes from the Internet */ };

/*
 * Bytes that wrapping adds at most to a packet for a backend of this family (4 or 6). encap: enum hf_encap.
 * Of GUE: UDP, GUE with its private data, and the hops beyond the first.
 */
uint32_t wrap_overhead(uint8_t encap, uint8_t family);
/* Headers of a TCP segment without options: RFC 791 or 8200, and 9293. */
uint32_t segment_headers(uint8_t family);

#endif
