/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator should hear before a change, and after it: migrations, and schemes that move too much. */
#ifndef HOLDFAST_CAUTION_H
#define HOLDFAST_CAUTION_H

#include "core/operation/objection.h"
#include "core/image/plan.h"

/* Appends a sentence a pool to warnings, a list of texts. */
void caution_append(const struct model *model, const struct image *before, const struct plan *plan,
		    json_t *warnings);
/* What a change brings that is only worth a note (core/operation/objection.h). 0 or -ENOMEM. */
int caution_append_notes(const struct model *before, const struct model *after, json_t *warnings);
/* An objection_visit: appends all but notes. */
int caution_append_mistake(const struct objection *objection, void *warnings);
/* What the model in force says that no change may bring, or none without --force. 0 or -ENOMEM. */
int caution_append_standing(const struct model *model, json_t *warnings);

#endif
