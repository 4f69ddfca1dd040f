/* SPDX-License-Identifier: Apache-2.0 */
/* The forecast: a plan as JSON, with what of the traffic it touches. */
#ifndef HOLDFAST_FORECAST_H
#define HOLDFAST_FORECAST_H

#include "daemon/instance.h"

/*
 * plan_to_json() and for each pool the new flows a second that will go elsewhere; flows: also how many
 * remembered flows are on the slots that move, which costs a look at the whole flow table. New reference.
 */
json_t *forecast_plan(struct instance *instance, const struct plan *plan, bool flows);

#endif
