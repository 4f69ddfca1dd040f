/* SPDX-License-Identifier: Apache-2.0 */
#include "view.h"

#include <holdfast/slot.h>
#include <string.h>

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

static json_t *member_named(const struct names *names, uint16_t number)
{
	char text[NUMBER_NAME];
	const char *pool, *name;

	if (!number)
		return json_null();
	backend_number_names(names, number, &pool, &name, text);
	return json_string(name);
}

static json_t *stored_preferences(const struct placement *placement, const uint16_t *preferences)
{
	json_t *list = json_array();

	for (int i = 0; i < PLACEMENT_STORED_PREFERENCES && preferences[i] != PLACEMENT_NONE; i++)
		json_array_append_new(list, json_string(placement_member_name(placement, preferences[i])));
	return list;
}

static json_t *range_view(const struct names *names, const struct placement *placement,
			  const struct described *slot, uint32_t first, uint32_t last)
{
	json_t *range = json_pack("{s:I, s:I, s:o, s:b, s:o}", "first", (json_int_t)first, "last",
				  (json_int_t)last, "owner", member_named(names, slot->owner), "moving",
				  slot->moving, "base", member_named(names, slot->base));

	if (placement)
		json_object_set_new(range, "preferences", stored_preferences(placement, slot->preferences));
	return range;
}

/* placement NULL: without preferences. */
static json_t *ranges_view(const struct names *names, struct placement *placement, const uint64_t *words,
			   uint32_t slots)
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
			list, range_view(names, preferences ? placement : NULL, &range, first, slot - 1));
		first = slot;
	}
	return list;
}

json_t *slots_view(const struct names *names, const char *pool, const uint64_t *words, uint32_t slots,
		   struct placement *placement)
{
	return json_pack("{s:s, s:I, s:o}", "pool", pool, "slots", (json_int_t)slots, "ranges",
			 ranges_view(names, placement, words, slots));
}
