/* SPDX-License-Identifier: Apache-2.0 */
#include "crowd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/list.h"

enum { NAME_ROOM = 64 };

/* One item of a list, read. */
struct item {
	char name[NAME_ROOM]; /* or what comes before the number of a range */
	char zone[NAME_ROOM];
	unsigned long first, last; /* of a range */
	double factor;             /* 0: none given */
	long weight;               /* -1: none given */
	bool range, zoned;
};

static int refuse_item(const char *text, size_t length, const char *why, struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "\"%.*s\" %s", (int)length, text, why);
	refusal_right(refusal, "members like a, b*2, c=250, d@east, cache-0..9; changes like +d, -b, b*2");
	return -EINVAL;
}

/* The number that digits at the end of name spell; its text is cut off. */
static bool number_cut(char *name, unsigned long *ret)
{
	size_t at = strlen(name);

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	if (!name[at] || strlen(name + at) > 6)
		return false;
	*ret = strtoul(name + at, NULL, 10);
	name[at] = '\0';
	return true;
}

/* "cache-0..9": the numbers around the dots. */
static bool item_range(struct item *item)
{
	char *dots = strstr(item->name, "..");

	if (!dots || dots[2] < '0' || dots[2] > '9')
		return true;
	if (strspn(dots + 2, "0123456789") != strlen(dots + 2) || strlen(dots + 2) > 6)
		return false;
	item->last = strtoul(dots + 2, NULL, 10);
	*dots = '\0';
	item->range = number_cut(item->name, &item->first) && item->first <= item->last &&
		      item->last - item->first < PLACEMENT_MAX_MEMBERS;
	return item->range;
}

/* What stands behind a mark (NULL: not there) reaches to the next mark. */
static bool item_marks(struct item *item, const char *text, size_t length)
{
	char copy[2 * NAME_ROOM + 32], *mark, *end;

	if (length >= sizeof copy)
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	mark = strchr(copy, '@');
	if (mark) {
		*mark++ = '\0';
		item->zoned = true;
		if (strlen(mark) >= NAME_ROOM)
			return false;
		strcpy(item->zone, mark);
	}
	mark = strpbrk(copy, "*=");
	if (mark && *mark == '*') {
		*mark++ = '\0';
		item->factor = strtod(mark, &end);
		if (end == mark || *end || !(item->factor >= 0 && item->factor <= 1e6))
			return false;
	} else if (mark) {
		*mark++ = '\0';
		item->weight = strtol(mark, &end, 10);
		if (end == mark || *end || item->weight < 0 || item->weight > 100000000)
			return false;
	}
	if (!*copy || strlen(copy) >= NAME_ROOM)
		return false;
	strcpy(item->name, copy);
	return true;
}

static int item_read(const char *text, size_t length, struct item *ret, struct refusal *refusal)
{
	struct item item = {.factor = -1, .weight = -1};

	if (!item_marks(&item, text, length) || !item_range(&item))
		return refuse_item(text, length, "is not a member", refusal);
	*ret = item;
	return 0;
}

static uint32_t item_weight(const struct item *item, uint32_t before)
{
	if (item->weight >= 0)
		return (uint32_t)item->weight;
	return item->factor >= 0 ? (uint32_t)(item->factor * before + 0.5) : before;
}

struct member *crowd_find(const struct crowd *crowd, const char *name)
{
	for (size_t i = 0; i < crowd->count; i++)
		if (!strcmp(crowd->members[i].name, name))
			return &crowd->members[i];
	return NULL;
}

int crowd_join(struct crowd *crowd, const char *name, uint32_t weight, const char *zone)
{
	struct member *members = list_grow(crowd->members, crowd->count, &crowd->room, sizeof *members);
	char *name_copy, *zone_copy;

	if (!members)
		return -ENOMEM;
	crowd->members = members;
	name_copy = strdup(name);
	zone_copy = strdup(zone);
	if (!name_copy || !zone_copy) {
		free(name_copy);
		free(zone_copy);
		return -ENOMEM;
	}
	crowd->members[crowd->count++] = (struct member){name_copy, zone_copy, weight};
	return 0;
}

static int item_join(struct crowd *crowd, const struct item *item)
{
	int error = 0;

	if (!item->range)
		return crowd_join(crowd, item->name, item_weight(item, CROWD_WEIGHT), item->zone);
	for (unsigned long number = item->first; number <= item->last && !error; number++) {
		char name[NAME_ROOM + 24];

		snprintf(name, sizeof name, "%s%lu", item->name, number);
		error = crowd_join(crowd, name, item_weight(item, CROWD_WEIGHT), item->zone);
	}
	return error;
}

/* Splits at commas and hands each item on. */
static int items_each(struct crowd *crowd, const char *text, struct refusal *refusal,
		      int (*take)(struct crowd *, const char *, size_t, struct refusal *))
{
	int error = 0;

	for (const char *at = text; *at && !error;) {
		size_t length = strcspn(at, ",");

		error = take(crowd, at, length, refusal);
		at += length + (at[length] == ',');
	}
	return error;
}

static int take_member(struct crowd *crowd, const char *text, size_t length, struct refusal *refusal)
{
	struct item item;
	int error = item_read(text, length, &item, refusal);

	return error ? error : item_join(crowd, &item);
}

static int refuse_stranger(const char *name, struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "there is no member %s", name);
	refusal_right(refusal, "+%s would add it", name);
	return -EINVAL;
}

static int crowd_leave(struct crowd *crowd, const char *name, struct refusal *refusal)
{
	struct member *member = crowd_find(crowd, name);

	if (!member)
		return refuse_stranger(name, refusal);
	free((char *)member->name);
	free((char *)member->zone);
	memmove(member, member + 1, (size_t)(crowd->members + --crowd->count - member) * sizeof *member);
	return 0;
}

static int take_change(struct crowd *crowd, const char *text, size_t length, struct refusal *refusal)
{
	struct member *member;
	struct item item;
	int error;

	if (length > 1 && *text == '+')
		return take_member(crowd, text + 1, length - 1, refusal);
	if (length > 1 && *text == '-') {
		error = item_read(text + 1, length - 1, &item, refusal);
		return error ? error : crowd_leave(crowd, item.name, refusal);
	}
	error = item_read(text, length, &item, refusal);
	if (error)
		return error;
	if (item.range || (item.factor < 0 && item.weight < 0 && !item.zoned))
		return refuse_item(text, length, "is not a change", refusal);
	member = crowd_find(crowd, item.name);
	if (!member)
		return refuse_stranger(item.name, refusal);
	member->weight = item_weight(&item, member->weight);
	if (item.zoned) {
		char *zone = strdup(item.zone);

		if (!zone)
			return -ENOMEM;
		free((char *)member->zone);
		member->zone = zone;
	}
	return 0;
}

int crowd_add(struct crowd *crowd, const char *text, struct refusal *refusal)
{
	return items_each(crowd, text, refusal, take_member);
}

int crowd_change(struct crowd *crowd, const char *text, struct refusal *refusal)
{
	return items_each(crowd, text, refusal, take_change);
}

int crowd_copy(const struct crowd *crowd, struct crowd *ret)
{
	int error = 0;

	*ret = (struct crowd){0};
	for (size_t i = 0; i < crowd->count && !error; i++)
		error = crowd_join(ret, crowd->members[i].name, crowd->members[i].weight,
				   crowd->members[i].zone);
	if (error)
		crowd_free(ret);
	return error;
}

void crowd_free(struct crowd *crowd)
{
	for (size_t i = 0; i < crowd->count; i++) {
		free((char *)crowd->members[i].name);
		free((char *)crowd->members[i].zone);
	}
	free(crowd->members);
	*crowd = (struct crowd){0};
}
