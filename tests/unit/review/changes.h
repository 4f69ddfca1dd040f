/* SPDX-License-Identifier: Apache-2.0 */
/* A change as those who judge it see it: models, images and plan. */
#pragma once

#include "unit/models.h"

struct changed {
	struct model *before, *after;
	struct ledger *ledger;
	struct image *image_before, *image_after;
	struct plan *plan;
};

/* What one operation makes of a model, which the change owns from here on. */
__attribute__((unused)) static struct changed change_of(struct model *before, const char *word,
							const char *arguments)
{
	struct changed changed = {.before = before, .after = model_copy(before), .ledger = ledger_new()};

	operate(&changed.after, word, "%s", arguments);
	changed.image_before = must_image(changed.before, changed.ledger, NULL, "");
	changed.image_after = must_image(changed.after, changed.ledger, changed.image_before, "");
	assert_int_equal(plan_make(changed.image_before, changed.image_after, &changed.plan), 0);
	return changed;
}

__attribute__((unused)) static void change_release(struct changed *changed)
{
	plan_free(changed->plan);
	image_free(changed->image_before);
	image_free(changed->image_after);
	ledger_free(changed->ledger);
	model_free(changed->before);
	model_free(changed->after);
}
