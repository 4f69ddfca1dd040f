/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on the model say of facts (facts.h) by the way. */
#ifndef HOLDFAST_CHANGE_HEALTH_H
#define HOLDFAST_CHANGE_HEALTH_H

#include "change.h"

struct words {
	json_t *warnings;
	struct fact fact;
	bool took; /* facts of a first start's configuration */
};

/*
 * Before `next` is tried. A configuration's words of health become facts where change->takes_health says so,
 * and are told to be without effect elsewhere; a backend that is added starts without what was stated of one
 * that is gone. Fills change->warnings and change->fact, which are borrowed from *ret. 0 or a negative errno.
 */
int words_read(struct instance *instance, const char *word, const json_t *arguments, struct model *next,
	       struct change *change, struct words *ret, struct refusal *refusal);
/* Afterwards: what came with a change that was refused is taken back. */
void words_end(struct instance *instance, struct words *words, int error);

#endif
