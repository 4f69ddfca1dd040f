/* SPDX-License-Identifier: Apache-2.0 */
/* Operations and whole configurations as changes (change.h). */
#pragma once

#include "change.h"

/* Carries out an operation; change->cause may be NULL: it is told from the operation. */
int change_operation(struct instance *instance, const char *word, const json_t *arguments,
		     const struct change *change, json_t **ret, struct refusal *refusal);

/* A whole configuration, as model.apply takes it; where change->limit is 0 it is that of the configuration,
 * and where that states none no more than what is in force. */
int change_configuration(struct instance *instance, json_t *configuration, const struct change *change,
			 json_t **ret, struct refusal *refusal);

/*
 * backend.health: what is stated becomes a fact (daemon/watch/facts.h) and is carried out like any change,
 * but makes no generation.
 */
int change_health(struct instance *instance, const json_t *arguments, const struct change *change,
		  json_t **ret, struct refusal *refusal);
