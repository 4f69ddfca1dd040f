/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator should hear before one placement takes another's place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement/table/table.h"

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

bool placement_move_warning(const struct placement *before, const struct placement *after, char *ret_text,
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

/* Percent of a share by weight that may be missing or too much: modulo counts, the others draw by lot. */
static double shares_tolerance(enum placement_scheme scheme)
{
	return scheme == PLACEMENT_MODULO ? 10 : 100 / 3.0;
}

bool placement_shares_warning(const struct placement *placement, char *ret_text, size_t size)
{
	uint32_t *owned = calloc(placement->count + 1, sizeof *owned);
	double worst = shares_tolerance(placement->scheme);
	bool found = false;

	for (uint32_t slot = 0; owned && placement->owners && slot < placement->slots; slot++)
		if (placement->owners[slot] != PLACEMENT_NONE)
			owned[placement->owners[slot]]++;
	for (size_t i = 0; owned && placement->owners && !placement->ranged && i < placement->count; i++) {
		const struct placed_member *member = &placement->members[i];
		double due = member->weight ? (double)member->weight * placement->slots /
						      (double)placement->total_weight
					    : 0;
		double off = due > 0 ? 100 * (owned[i] - due) / due : 0;

		if ((off < 0 ? -off : off) <= worst || (owned[i] < due + 1 && owned[i] > due - 1))
			continue;
		worst = off < 0 ? -off : off;
		found = true;
		snprintf(ret_text, size,
			 "by its weight %s is due %.0f of %u slots, and scheme %s gives it %u (%+.0f %%): a "
			 "larger table, weights with a common divisor, or scheme maglev",
			 member->name, due, placement->slots, placement_scheme_name(placement->scheme),
			 owned[i], off);
	}
	free(owned);
	return found;
}
