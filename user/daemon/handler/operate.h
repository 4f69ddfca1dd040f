/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of requests that change the desired state. */
#ifndef HOLDFAST_OPERATE_H
#define HOLDFAST_OPERATE_H

#include "handler.h"

/* POST /v1/operations, /v1/rollback, /v1/upgrade */
int operate(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal);
int roll_back(struct instance *instance, const struct request *request, json_t **ret,
	      struct refusal *refusal);
int upgrade(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal);

#endif
