/* SPDX-License-Identifier: Apache-2.0 */
/* The forecast of a change (core/review/forecast.h), by the traffic of this moment. */
#ifndef HOLDFAST_CHANGE_FORECAST_H
#define HOLDFAST_CHANGE_FORECAST_H

#include "core/image/plan.h"
#include "daemon/instance.h"

/*
 * forecast_to_json(); flows: also how many remembered flows are on the slots that move, which costs a look at
 * the whole flow table. New reference. NULL: out of memory.
 */
json_t *change_forecast(struct instance *instance, const struct plan *plan, bool flows);

#endif
