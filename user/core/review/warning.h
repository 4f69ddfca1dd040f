/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator should hear before a change, and after it: migrations, and schemes that move too much. */
#pragma once

#include "core/image/plan.h"
#include "objection.h"

/* Appends a sentence a pool to warnings, a list of texts. */
void warning_append_plan(const struct model *model, const struct image *before, const struct plan *plan,
			 json_t *warnings);
/* What a change brings that is only worth a note. 0 or -ENOMEM. */
int warning_append_notes(const struct model *before, const struct model *after, json_t *warnings);
/* An objection_visit: appends all but notes. */
int warning_append_mistake(const struct objection *objection, void *warnings);
/* What the model in force says that no change may bring, or none without --force. 0 or -ENOMEM. */
int warning_append_standing(const struct model *model, json_t *warnings);
/* What the change would be refused for, or was forced through. */
void warning_append_refusal(const struct refusal *refusal, json_t *warnings);
/* Backends that a file names and that stay out, because a command removed them. */
void warning_append_removals(const struct model *model, json_t *warnings);
