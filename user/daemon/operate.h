/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of requests that change the desired state. */
#ifndef HOLDFAST_OPERATE_H
#define HOLDFAST_OPERATE_H

#include "request.h"

/* POST /v1/operations, POST /v1/rollback */
int operate(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal);
int roll_back(struct instance *instance, const struct request *request, json_t **ret,
	      struct refusal *refusal);

#endif
