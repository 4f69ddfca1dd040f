/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placements that take long, computed ahead on another thread. A model that has such a store (model.ahead)
 * builds nothing long itself: it gets -EAGAIN for what the store does not have, until ahead_compute() has put
 * it there.
 */
#ifndef HOLDFAST_AHEAD_H
#define HOLDFAST_AHEAD_H

#include "core/model/model.h"
#include "core/placement/placement.h"

struct ahead;

/* An empty store. NULL: no memory. */
struct ahead *ahead_new(void);
void ahead_free(struct ahead *ahead); /* NULL: nothing */
/*
 * Computes all long placements of the model that an operation makes of this one, and puts them into
 * model->ahead. word NULL: those of the model as it is. Takes long; may run on a thread that has model,
 * arguments and store for itself.
 */
void ahead_compute(struct model *model, const char *word, const json_t *arguments, int64_t now);

/*
 * A placement of a set that takes long, from the store; while ahead_compute() runs it is built and kept. What
 * was refused is refused again. -EAGAIN: it must be computed first; -ENOENT: it does not take long, build it.
 */
int ahead_placement(struct ahead *ahead, const struct member_set *set, uint64_t options,
		    struct placement **ret, struct refusal *refusal);

#endif
