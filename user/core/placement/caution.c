/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator should hear before one placement takes another's place. */
#include <stdio.h>
#include <string.h>

#include "scheme.h"

static bool same_options(const struct placement_options *a, const struct placement_options *b)
{
	return a->hash == b->hash && (a->virtual_nodes ?: 100) == (b->virtual_nodes ?: 100) &&
	       a->ring_size == b->ring_size && a->after == b->after && a->ketama == b->ketama &&
	       a->tolerance == b->tolerance;
}

static const char *move_kind(const struct placement *before, const struct placement *after)
{
	if (before->scheme != after->scheme)
		return "scheme";
	if (before->slots != after->slots)
		return "table size";
	return before->seed != after->seed ? "seed" : NULL;
}

/* Whether those who left are the last in name order, and those who came stand behind all who stay. */
static bool changes_at_the_end(const struct placement *before, const struct placement *after)
{
	size_t common = before->count < after->count ? before->count : after->count;

	for (size_t i = 0; i < common; i++)
		if (strcmp(before->members[i].name, after->members[i].name) != 0 ||
		    before->members[i].weight != after->members[i].weight)
			return false;
	return true;
}

bool placement_caution(const struct placement *before, const struct placement *after, char *ret_text,
		       size_t size)
{
	const char *kind = move_kind(before, after);
	bool same = before->count == after->count && changes_at_the_end(before, after);

	if (kind)
		snprintf(ret_text, size, "a new %s is a migration: most keys get another owner", kind);
	else if (!same_options(&before->options, &after->options))
		snprintf(ret_text, size,
			 "another option of the scheme is a migration: keys get other owners");
	else if (after->scheme == PLACEMENT_MODULO && !same)
		snprintf(ret_text, size,
			 "modulo numbers its members: a change of their count moves nearly every key");
	else if (after->scheme == PLACEMENT_JUMP && !same && !changes_at_the_end(before, after))
		snprintf(ret_text, size,
			 "jump numbers its members by name: only the last may come or leave; this change "
			 "renames "
			 "those behind it and moves their keys");
	else if (after->scheme == PLACEMENT_SLOTS && !same && !after->ranged)
		snprintf(ret_text, size,
			 "slots move when an operator says so: without an assignment they are divided anew");
	else
		return false;
	return true;
}
