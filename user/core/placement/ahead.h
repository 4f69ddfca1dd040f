/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placements that take long, computed ahead on another thread (ahead_compute() of operation.h). A model that
 * has such a store (model.ahead) builds nothing long itself: it gets -EAGAIN for what the store does not
 * have.
 */
#pragma once

#include "placement.h"

struct ahead;

/* An empty store. NULL: no memory. */
struct ahead *ahead_new(void);
void ahead_free(struct ahead *ahead); /* NULL: nothing */
/* Whether ahead_placement() builds and keeps what the store does not have; a new store does not. */
void ahead_compute_missing(struct ahead *ahead, bool compute);

/*
 * A placement of a set that takes long, from the store. What was refused is refused again. -EAGAIN: it must
 * be computed first; -ENOENT: it does not take long, build it.
 */
int ahead_placement(struct ahead *ahead, const struct member_set *set, uint64_t options,
		    struct placement **ret, struct refusal *refusal);
