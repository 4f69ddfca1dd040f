/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int member_before(const void *a, const void *b)
{
	const struct member *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

/* Sorts only what is not sorted: callers mostly keep their members by name. */
static void members_sort(const struct member **members, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(members[i - 1]->name, members[i]->name) > 0) {
			qsort(members, count, sizeof *members, member_before);
			return;
		}
}

int members_order(const struct member_set *set, const struct member **members, struct refusal *refusal)
{
	for (size_t i = 0; i < set->count; i++) {
		size_t length = set->members[i].name ? strlen(set->members[i].name) : 0;

		if (length < 1 || length > 63) {
			refuse(refusal, -EINVAL, "member name '%.80s' has %zu bytes",
			       length ? set->members[i].name : "", length);
			refusal_right(refusal, "a name of 1 to 63 bytes");
			return -EINVAL;
		}
		members[i] = &set->members[i];
	}
	members_sort(members, set->count);
	for (size_t i = 1; i < set->count; i++)
		if (!strcmp(members[i - 1]->name, members[i]->name)) {
			refuse(refusal, -EINVAL, "member %s is listed twice", members[i]->name);
			refusal_where(refusal, "member %s", members[i]->name);
			refusal_right(refusal, "each name once");
			return -EINVAL;
		}
	return 0;
}

/* Zones are numbered as met in name order; few, so that a search from the front will do. */
static int members_zone(struct placement *placement, const struct member **members)
{
	const char **zones = malloc((placement->count + 1) * sizeof *zones);

	placement->zone_sizes = calloc(placement->count + 1, sizeof *placement->zone_sizes);
	if (!zones || !placement->zone_sizes) {
		free(zones);
		return -ENOMEM;
	}
	for (size_t i = 0; i < placement->count; i++) {
		const char *zone = members[i]->zone ? members[i]->zone : "";
		size_t number = 0;

		if (!members[i]->weight)
			continue;
		while (number < placement->zones && strcmp(zones[number], zone) != 0)
			number++;
		if (number == placement->zones)
			zones[placement->zones++] = zone;
		placement->members[i].zone = (uint16_t)number;
		placement->zone_sizes[number]++;
	}
	free(zones);
	return 0;
}

int members_copy(struct placement *placement, const struct member **members)
{
	size_t bytes = 1;
	char *at;

	for (size_t i = 0; i < placement->count; i++)
		bytes += strlen(members[i]->name) + 1;
	placement->members = calloc(placement->count + 1, sizeof *placement->members);
	placement->names = at = malloc(bytes);
	if (!placement->members || !placement->names)
		return -ENOMEM;
	for (size_t i = 0; i < placement->count; i++) {
		struct placed_member *member = &placement->members[i];
		size_t length = strlen(members[i]->name);

		member->name = memcpy(at, members[i]->name, length + 1);
		at += length + 1;
		member->hash = XXH64(member->name, length, placement->seed);
		member->weight = members[i]->weight;
		placement->weighted += member->weight > 0;
		placement->total_weight += member->weight;
	}
	return members_zone(placement, members);
}

size_t placement_members(const struct placement *placement)
{
	return placement->count;
}

const char *placement_member_name(const struct placement *placement, uint16_t member)
{
	return member < placement->count ? placement->members[member].name : NULL;
}

uint16_t placement_member_number(const struct placement *placement, const char *name)
{
	size_t from = 0, to = placement->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = strcmp(name, placement->members[middle].name);

		if (!order)
			return (uint16_t)middle;
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return PLACEMENT_NONE;
}
