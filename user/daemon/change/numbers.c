/* SPDX-License-Identifier: Apache-2.0 */
#include "numbers.h"

#include <stdlib.h>

struct carried {
	const struct flow_census *count;
	bool named[HF_MAX_BACKENDS]; /* by a table */
	struct instance *instance;
};

/* Whether nothing carries a retired number any more. */
static bool is_free(uint16_t number, void *context)
{
	const struct carried *carried = context;
	const struct backend_flows *flows = &carried->count->backends[number];

	if (carried->named[number] || flows->opening || flows->established || flows->closing)
		return false;
	carried->instance->drained[number] = false;
	return true;
}

static int is_any(uint16_t number, void *context)
{
	(void)number;
	(void)context;
	return 1;
}

/* evidence_take() guarantees that no packet carries what neither a table nor a flow of the count names. */
bool numbers_release(struct instance *instance)
{
	struct carried *carried = calloc(1, sizeof *carried);

	if (carried)
		carried->count = evidence_take(&instance->evidence, 0);
	if (!carried || !carried->count) {
		free(carried);
		return false;
	}
	carried->instance = instance;
	if (ledger_retired(instance->ledger, is_any, NULL)) {
		dataplane_named(instance->dataplane, carried->named);
		ledger_release_backends(instance->ledger, is_free, carried);
	}
	ledger_release_unused(instance->ledger);
	free(carried);
	return true;
}
