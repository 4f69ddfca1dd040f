/* SPDX-License-Identifier: Apache-2.0 */
#include "warning.h"

#include <errno.h>
#include <string.h>

/* A pool without backends has nothing to move. */
static bool warns_of_move(const struct pool_image *before, const struct plan_pool *pool, char *text,
			  size_t size)
{
	if (pool->change != PLAN_CHANGE || !pool->moved || !before || !before->placement ||
	    !pool->image->placement || !placement_members(before->placement))
		return false;
	return placement_move_warning(before->placement, pool->image->placement, text, size);
}

/* Connections of a service that tracks never go with their slots. */
static void warn_untracked(const struct model *model, const struct plan_pool *pool, json_t *warnings)
{
	char text[LISTEN_TEXT];

	for (size_t i = 0; i < model->service_count; i++) {
		const struct service *service = &model->services[i];

		if (service->track != HF_TRACK_NEVER || strcmp(service->pool, pool->name) != 0)
			continue;
		listen_text(&service->listen, text);
		json_array_append_new(
			warnings,
			json_sprintf("service %s: track is never: open connections on the %u slots "
				     "that move break; to keep them, first: holdfast service set %s "
				     "--track auto",
				     text, pool->moved, text));
	}
}

void warning_append_plan(const struct model *model, const struct image *before, const struct plan *plan,
			 json_t *warnings)
{
	/* Of a pool whose services remember no flows nobody can promise it. */
	static const char stay[] = "; connections that are open stay where they are";
	char text[384];

	for (size_t i = 0; i < plan->pool_count; i++) {
		const struct plan_pool *pool = &plan->pools[i];

		if (warns_of_move(image_pool_numbered(before, pool->number), pool, text, sizeof text))
			json_array_append_new(warnings,
					      json_sprintf("pool %s: %s (%.1f %% of its slots)%s", pool->name,
							   text, 100 * plan_pool_share(pool),
							   pool->image->idle ? stay : ""));
		if (pool->image && pool->image->placement &&
		    placement_shares_warning(pool->image->placement, text, sizeof text))
			json_array_append_new(warnings, json_sprintf("pool %s: %s", pool->name, text));
		if (pool->change == PLAN_CHANGE && pool->moved)
			warn_untracked(model, pool, warnings);
	}
}

static int append_objection(const struct objection *objection, json_t *warnings)
{
	char text[REFUSAL_TEXT];

	refusal_text(&objection->refusal, text);
	return json_array_append_new(warnings, json_string(text)) ? -ENOMEM : 0;
}

static int append_note(const struct objection *objection, void *warnings)
{
	return objection->weight == OBJECTION_NOTE ? append_objection(objection, warnings) : 0;
}

int warning_append_mistake(const struct objection *objection, void *warnings)
{
	return objection->weight == OBJECTION_NOTE ? 0 : append_objection(objection, warnings);
}

int warning_append_notes(const struct model *before, const struct model *after, json_t *warnings)
{
	return objections_visit(before, after, append_note, warnings);
}

int warning_append_standing(const struct model *model, json_t *warnings)
{
	return objections_visit(NULL, model, warning_append_mistake, warnings);
}

void warning_append_refusal(const struct refusal *refusal, json_t *warnings)
{
	json_array_append_new(warnings, json_sprintf("%s%s%s", refusal->where, refusal->where[0] ? ": " : "",
						     refusal->what));
}

/* A file does not bring back what a command removed. */
void warning_append_removals(const struct model *model, json_t *warnings)
{
	char address[ADDRESS_TEXT];

	for (size_t i = 0; i < model->removal_count; i++) {
		const struct removal *removal = &model->removals[i];

		json_array_append_new(
			warnings,
			json_sprintf("backend %s/%s stays out: it is named, but a command removed it; "
				     "`holdfast backend add %s/%s %s` brings it back",
				     removal->pool, removal->name, removal->pool, removal->name,
				     address_text(&removal->address, address)));
	}
}
