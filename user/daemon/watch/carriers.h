/* SPDX-License-Identifier: Apache-2.0 */
/* Carriers: notes, once each, that packets stop coming in by an attached interface, and that they can again.
 */
#pragma once

#include "next_hops.h"
#include "interfaces.h"

/* All zero: every interface carries. */
struct carriers {
	uint32_t without[HF_MAX_LINKS]; /* indices of interfaces that are down or have no carrier */
	size_t count;
};

/* Once a second. */
void carriers_tick(struct carriers *carriers, struct interfaces *interfaces,
		   const struct next_hops *next_hops, const struct model *model);
