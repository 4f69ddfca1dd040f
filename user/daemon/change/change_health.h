/* SPDX-License-Identifier: Apache-2.0 */
/* How operations on the model change facts (facts.h). */
#ifndef HOLDFAST_CHANGE_HEALTH_H
#define HOLDFAST_CHANGE_HEALTH_H

#include "change.h"

struct words {
	json_t *warnings;
	struct fact fact;
	bool took; /* facts of a first start's configuration */
};

/*
 * Before `next` is tried. Makes a configuration's words of health facts if change->takes_health; otherwise
 * warns that they have no effect. Forgets the fact of a backend that is added: it is new. Fills
 * change->warnings and change->fact, which are borrowed from *ret. 0 or a negative errno.
 */
int words_read(struct instance *instance, const char *word, const json_t *arguments, struct model *next,
	       struct change *change, struct words *ret, struct refusal *refusal);
/* Afterwards. Takes back the facts of a change that was refused. */
void words_end(struct instance *instance, struct words *words, int error);

/*
 * backend.health: what is stated becomes a fact (facts.h) and is carried out like any change, but makes no
 * generation.
 */
int change_health(struct instance *instance, const json_t *arguments, const struct change *change,
		  json_t **ret, struct refusal *refusal);

#endif
