/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/image/plan.h"
#include "kern/maps/dataplane.h"

/*
 * Makes the maps what the plan says, every pool and the directory by one 64-bit store each. Space is reserved
 * first: -ENOSPC with the refusal naming the limit leaves everything as it was. The generation is noted in
 * each word. Retired ranges are kept until dataplane_reclaim().
 */
int dataplane_apply(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
		    struct refusal *refusal);
