/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What wrapper and user space agree on. */
#pragma once

enum {
	NEW_FLOWS = 0x4000000,   /* the SYNs that c_syn_mask mixes in, from here on */
	FRESH_FLOWS = 0x1000000, /* flows shown once only, from here on */
	MOST_MORE = 128,         /* bytes of growth beyond an IP header */
	CHUNK = 1024,            /* packets between two looks at the clock */
	MOST_CHUNKS = 256,       /* of a batch */
};
