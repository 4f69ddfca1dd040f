/* SPDX-License-Identifier: Apache-2.0 */
/* The guard: changes that break what clients have, and that nobody makes without saying so (`force`). */
#pragma once

#include "core/image/image.h"
#include "core/image/plan.h"

struct guarded {
	const struct model *before, *after;
	const struct image *image_before, *image_after;
	const struct plan *plan;
	uint32_t limit; /* percent of a pool's slots that may move; GUARD_NO_LIMIT: any */
	bool whole; /* a whole configuration takes the place of the one before: what it does not name goes */
};
enum { GUARD_NO_LIMIT = UINT32_MAX };

/*
 * Refuses, naming pool, service or interface: a table whose size, seed or hash changes without the old one as
 * its base; ports of a VIP that go to another pool; a pool in use whose last backend would take no new flows;
 * more than the limit of a pool's slots moving. Of a whole configuration also what it may have lost by
 * accident: ports of a VIP that nothing serves any more, how a pool's packets are wrapped, and the last
 * interface. 0 or -EPERM.
 */
int guard_check(const struct guarded *guarded, struct refusal *refusal);
