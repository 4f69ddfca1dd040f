/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that are given to somebody new begin at 0, whoever had them before; a range that was outgrown goes
 * on in the one that takes its place. */
#ifndef HOLDFAST_COUNTER_RESET_H
#define HOLDFAST_COUNTER_RESET_H

#include "core/ledger/ledger.h"
#include "core/image/plan.h"
#include "kern/maps/dataplane.h"

struct counter_reset {
	struct dataplane *dataplane;
	const struct plan *plan;
	const struct model *model_before, *model;
	const struct ledger *before, *after;
};

/* Prepares the counters that `after` gives and `before` did not, before packets count there. */
void counters_reset(const struct counter_reset *reset);

#endif
