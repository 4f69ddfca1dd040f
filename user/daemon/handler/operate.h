/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of requests that change the desired state. */
#pragma once

#include "handler.h"

/* POST /v1/operations, /v1/rollback, /v1/upgrade */
int operate(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal);
int roll_back(struct instance *instance, const struct request *request, json_t **ret,
	      struct refusal *refusal);
int upgrade(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal);
