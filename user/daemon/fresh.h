/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that are given to somebody new begin at 0, whoever had them before. */
#ifndef HOLDFAST_FRESH_H
#define HOLDFAST_FRESH_H

#include "../core/ledger.h"
#include "../core/plan.h"
#include "../kern/dataplane.h"

/*
 * Clears what `after` gives to services and backends that `before` did not give to them, where the plan
 * brings any. Before packets count there.
 */
void fresh_counters(struct dataplane *dataplane, const struct plan *plan, const struct model *model,
		    const struct ledger *before, const struct ledger *after);

#endif
