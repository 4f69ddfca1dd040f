/* SPDX-License-Identifier: Apache-2.0 */
/* A pool's slots as the data plane has them now, neighbours that are alike as one range. */
#include <errno.h>
#include <holdfast/slot.h>
#include <string.h>

#include "core/model/lookup.h"
#include "views.h"

/* What a slot is told to be. */
struct described {
	uint16_t owner, base;
	bool moving;
	uint16_t preferences[PLACEMENT_STORED_PREFERENCES]; /* members, where they are asked for */
};

static void describe(uint64_t word, const uint16_t *preferences, struct described *ret)
{
	/* Compared as bytes: the gaps must be alike, too. */
	memset(ret, 0, sizeof *ret);
	ret->owner = hf_slot_owner(word);
	ret->moving = hf_slot_is_moving(word);
	if (ret->moving)
		ret->base = hf_slot_base(word);
	if (preferences)
		memcpy(ret->preferences, preferences, sizeof ret->preferences);
}

static json_t *backend_name(const struct instance *instance, uint16_t number)
{
	char label[BACKEND_TEXT];
	const char *pool, *name;
	struct address address;

	if (!number || !ledger_backend_name(instance->ledger, number, &pool, &name, &address))
		return json_null();
	return json_string(model_label(instance->model, pool, name, &address, label));
}

static json_t *preferences_json(const struct placement *placement, const uint16_t *preferences)
{
	json_t *list = json_array();

	for (int i = 0; i < PLACEMENT_STORED_PREFERENCES && preferences[i] != PLACEMENT_NONE; i++)
		json_array_append_new(list, json_string(placement_member_name(placement, preferences[i])));
	return list;
}

static json_t *range_json(const struct instance *instance, const struct placement *placement,
			  const struct described *slot, uint32_t first, uint32_t last)
{
	json_t *range = json_pack("{s:I, s:I, s:o, s:b, s:o}", "first", (json_int_t)first, "last",
				  (json_int_t)last, "owner", backend_name(instance, slot->owner), "moving",
				  slot->moving, "base", backend_name(instance, slot->base));

	if (placement)
		json_object_set_new(range, "preferences", preferences_json(placement, slot->preferences));
	return range;
}

/* placement NULL: without preferences. */
static json_t *ranges_json(const struct instance *instance, struct placement *placement,
			   const uint64_t *words, uint32_t slots)
{
	const uint16_t *preferences = placement ? placement_preferences(placement) : NULL;
	json_t *list = json_array();
	uint32_t first = 0;

	while (first < slots) {
		const uint16_t *at = preferences ? preferences + first * PLACEMENT_STORED_PREFERENCES : NULL;
		struct described range, next;
		uint32_t slot = first;

		describe(words[first], at, &range);
		do {
			slot++;
			if (at)
				at += PLACEMENT_STORED_PREFERENCES;
			if (slot < slots)
				describe(words[slot], at, &next);
		} while (slot < slots && !memcmp(&range, &next, sizeof range));
		json_array_append_new(
			list, range_json(instance, preferences ? placement : NULL, &range, first, slot - 1));
		first = slot;
	}
	return list;
}

int view_slots(struct instance *instance, const struct request *request, json_t **ret,
	       struct refusal *refusal)
{
	const struct pool *pool = named_pool(instance->model, request->parameters[0], refusal);
	const struct pool_image *image = pool ? image_pool(instance->image, pool->name) : NULL;
	bool preferences;
	struct placement *placement = NULL;
	const uint64_t *words;
	struct hf_table table;
	int error;

	if (!image)
		return -ENOENT;
	error = request_flag(request, "preferences", &preferences, refusal);
	if (!error)
		error = dataplane_pool(instance->dataplane, image->number, &table, &words);
	if (error)
		return error;
	/* A placement of another size is that of a table which is not loaded yet. */
	if (preferences && image->placement && placement_slots(image->placement) == table.size)
		placement = image->placement;
	*ret = json_pack("{s:s, s:I, s:o}", "pool", image->name, "slots", (json_int_t)table.size, "ranges",
			 ranges_json(instance, placement, words, table.size));
	return *ret ? 0 : -ENOMEM;
}
