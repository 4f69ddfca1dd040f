/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objections: what a model should not say, although model_check() lets it pass. Earlier versions accepted it,
 * so a model that is stored may have it, and must still load. A change is refused only for what it brings:
 * what the model before it says already stays as it is.
 */
#pragma once

#include "core/model/model.h"

enum objection_weight {
	OBJECTION_NOTE,    /* worth a warning with the change */
	OBJECTION_MISTAKE, /* likely a mistake: needs --force. refusal.kind is "likely-mistake" */
	OBJECTION_WRONG,   /* cannot work: refused */
};

struct objection {
	enum objection_weight weight;
	struct refusal refusal;
};

/* A result other than 0 ends the visits. */
typedef int objection_visit(const struct objection *objection, void *context);

/*
 * Visits every objection to `after` that `before` does not raise, too; before NULL: every one. 0, what visit
 * returned, or -ENOMEM.
 */
int objections_visit(const struct model *before, const struct model *after, objection_visit *visit,
		     void *context);
/* Refuses what is wrong in `after` and was not in `before`. 0, -EINVAL with *refusal filled, -ENOMEM. */
int objections_check(const struct model *before, const struct model *after, struct refusal *refusal);
