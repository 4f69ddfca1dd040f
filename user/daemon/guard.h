/* SPDX-License-Identifier: Apache-2.0 */
/* The guard: changes that break what clients have, and that nobody makes without saying so (`force`). */
#ifndef HOLDFAST_GUARD_H
#define HOLDFAST_GUARD_H

#include "../core/image.h"
#include "../core/plan.h"

struct guarded {
	const struct model *before, *after;
	const struct image *image_before, *image_after;
	const struct plan *plan;
	uint32_t limit; /* percent of a pool's slots that may move; GUARD_NO_LIMIT: any */
};
enum { GUARD_NO_LIMIT = UINT32_MAX };

/*
 * Refuses, naming pool or service: a table whose size, seed or hash changes without the old one as its base;
 * a service that goes to another pool; a pool in use whose last backend would take no new flows; more than
 * the limit of a pool's slots moving. 0 or -EPERM.
 */
int guard_check(const struct guarded *guarded, struct refusal *refusal);

#endif
