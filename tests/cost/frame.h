/* SPDX-License-Identifier: Apache-2.0 */
/* The referee's scenarios, and frames as they go in and come out. */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

enum { TCP = 6, UDP = 17, ACK = 0x10, SYN = 0x02 };
enum mode { FIXED, SEQUENTIAL, RANDOM };

struct scenario {
	const char *name;
	const char *vip;
	int proto, flags, length;
	enum mode mode;
	__u32 flows;
	bool prewarm;   /* show every flow once before the clock starts */
	bool fresh;     /* never show a flow twice */
	__u32 syn_mask; /* a new flow's SYN whenever (n & syn_mask) == 0 */
};

bool scenario_is_ipv6(const struct scenario *scenario);

/* The frame of the scenario's first flow, scenario->length bytes. */
void frame_make(const struct scenario *scenario, __u8 *frame);

/* What the ideal program makes of a frame: behind it growth more bytes. */
void frame_ideal(const __u8 *frame, int length, bool is_ipv6, int growth, __u8 *out);

/* NULL, or what is wrong with the outer header that a program has put before this frame. */
const char *frame_fault(const __u8 *frame, int length, const __u8 *out, int out_length);
