/* SPDX-License-Identifier: Apache-2.0 */
/* The forecast: a plan as JSON, with what of the traffic it touches. */
#pragma once

#include "core/image/plan.h"
#include "core/value/tally.h"

/* The traffic of a pool that a plan has a line for. */
struct pool_traffic {
	struct tally opened; /* the pool's new flows */
	bool counted;
	uint32_t remembered; /* where counted: of forecast_flows(), how many are remembered */
};

/* Which of a pool's remembered flows a plan touches: none, all, or those on slots that leave an owner. */
enum forecast_flows { FORECAST_NO_FLOWS, FORECAST_ALL_FLOWS, FORECAST_MOVED_FLOWS };
/* before: the pool in force, NULL for none. */
enum forecast_flows forecast_flows(const struct pool_image *before, const struct plan_pool *pool);
/* A bit for each slot that leaves an owner; the tables are of one size. The caller frees it. NULL: out of
 * memory. */
uint64_t *forecast_moved_slots(const struct pool_image *before, const struct pool_image *after);

/*
 * plan_to_json(), and for each pool the new flows a second that will go elsewhere ("new_per_second"), whether
 * it has flows that are not seen to begin ("flows_unseen"), and how many remembered flows are touched
 * ("remembered", null where they were not counted). traffic: one a pool of the plan. New reference.
 */
json_t *forecast_to_json(const struct plan *plan, const struct pool_traffic *traffic);
