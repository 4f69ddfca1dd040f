/* SPDX-License-Identifier: Apache-2.0 */
#include "comparison.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ROOM = 96, LIST_MAX = 64 };

static size_t sample_key(const struct sample *sample, uint32_t nth, char key[KEY_ROOM])
{
	char digits[16];
	size_t length = strlen(sample->prefix), count = 0;
	uint32_t number = sample->first + nth;

	/* By hand: printf() would cost more than the lookup that is being timed. */
	length = length < KEY_ROOM - sizeof digits ? length : KEY_ROOM - sizeof digits;
	memcpy(key, sample->prefix, length);
	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (count > 0)
		key[length++] = digits[--count];
	return length;
}

uint32_t sample_size(const struct placement *placement, const struct sample *sample)
{
	return sample->prefix ? sample->count : placement_slots(placement);
}

void sample_owners(const struct placement *placement, const struct sample *sample, uint16_t *owners)
{
	char key[KEY_ROOM];

	if (!sample->prefix) {
		memcpy(owners, placement_owners(placement), placement_slots(placement) * sizeof *owners);
		return;
	}
	for (uint32_t nth = 0; nth < sample->count; nth++)
		owners[nth] = placement_lookup(placement, key, sample_key(sample, nth, key));
}

/* The list of the nth. */
static size_t sample_list(const struct placement *placement, const struct sample *sample, uint32_t nth,
			  uint16_t *members, size_t max)
{
	char key[KEY_ROOM];

	if (!sample->prefix)
		return placement_walk(placement, nth, members, max);
	return placement_lookup_list(placement, key, sample_key(sample, nth, key), members, max);
}

static uint64_t weights_total(const struct side *side)
{
	uint64_t total = 0;

	for (size_t i = 0; i < placement_members(side->placement); i++)
		total += side->weights[i];
	return total;
}

static uint32_t *owners_count(const struct side *side, uint32_t size)
{
	uint32_t *counts = calloc(placement_members(side->placement) + 1, sizeof *counts);

	for (uint32_t i = 0; counts && i < size; i++)
		if (side->owners[i] != PLACEMENT_NONE)
			counts[side->owners[i]]++;
	return counts;
}

static void compare_spread(const struct side *side, const uint32_t *counts, uint32_t size,
			   struct figures *figures)
{
	uint64_t total = weights_total(side);
	size_t members = 0;
	double squares = 0;

	figures->greatest = 0;
	figures->least = INFINITY;
	for (size_t i = 0; i < placement_members(side->placement); i++) {
		double load;

		if (!side->weights[i])
			continue;
		load = counts[i] * (double)total / side->weights[i] / size;
		figures->greatest = fmax(figures->greatest, load);
		figures->least = fmin(figures->least, load);
		squares += (load - 1) * (load - 1);
		members++;
	}
	figures->deviation = members ? sqrt(squares / (double)members) : 0;
	figures->least = members ? figures->least : 0;
}

/* Members of `from` as numbers of `to`. */
static uint16_t *members_map(const struct side *from, const struct side *to)
{
	size_t count = placement_members(from->placement);
	uint16_t *map = malloc((count + 1) * sizeof *map);

	for (size_t i = 0; map && i < count; i++)
		map[i] = placement_member_number(to->placement,
						 placement_member_name(from->placement, (uint16_t)i));
	return map;
}

/* The change of every member's due share, by its number in before and in after. */
struct drift {
	double *before, *after;
	double minimum;
};

static int drift_find(const struct side *before, const struct side *after, const uint16_t *map,
		      struct drift *drift)
{
	double total_before = (double)weights_total(before), total_after = (double)weights_total(after);
	size_t count_before = placement_members(before->placement),
	       count_after = placement_members(after->placement);

	drift->before = calloc(count_before + 1, sizeof *drift->before);
	drift->after = calloc(count_after + 1, sizeof *drift->after);
	if (!drift->before || !drift->after)
		return -ENOMEM;
	for (size_t i = 0; i < count_after; i++)
		drift->after[i] = after->weights[i] / fmax(total_after, 1);
	for (size_t i = 0; i < count_before; i++) {
		double share = before->weights[i] / fmax(total_before, 1);

		drift->before[i] = (map[i] == PLACEMENT_NONE ? 0 : drift->after[map[i]]) - share;
		drift->minimum += fmax(0, -drift->before[i]);
		if (map[i] != PLACEMENT_NONE)
			drift->after[map[i]] -= share;
	}
	return 0;
}

static int compare_moves(const struct side *before, const struct side *after, uint32_t size,
			 struct figures *figures)
{
	uint16_t *map = members_map(before, after);
	struct drift drift = {0};
	uint32_t moved = 0, needless = 0;
	int error = map ? drift_find(before, after, map, &drift) : -ENOMEM;

	for (uint32_t i = 0; i < size && !error; i++) {
		uint16_t old = before->owners[i], new = after->owners[i];

		if (old == PLACEMENT_NONE || new == PLACEMENT_NONE || map[old] == new)
			continue;
		moved++;
		needless += !(drift.before[old] < 0 && drift.after[new] > 0);
	}
	figures->moved = (double)moved / size;
	figures->needless = (double)needless / size;
	figures->minimum = drift.minimum;
	free(map);
	free(drift.before);
	free(drift.after);
	return error;
}

/* The member whose loss is looked at: the one that left with most keys, or without a change the one with
 * most. */
static uint16_t lost_member(const struct side *before, const struct side *after, const uint32_t *counts)
{
	uint16_t lost = PLACEMENT_NONE;

	for (size_t i = 0; i < placement_members(before->placement); i++) {
		const char *name = placement_member_name(before->placement, (uint16_t)i);
		uint16_t there = after ? placement_member_number(after->placement, name) : PLACEMENT_NONE;

		if (there == PLACEMENT_NONE && counts[i] &&
		    (lost == PLACEMENT_NONE || counts[i] > counts[lost]))
			lost = (uint16_t)i;
	}
	return lost;
}

static int compare_loss(const struct sample *sample, const struct side *before, const struct side *after,
			uint16_t lost, struct figures *figures)
{
	const struct placement *heirs = after ? after->placement : before->placement;
	uint32_t *counts = calloc(placement_members(heirs) + 1, sizeof *counts), all = 0;
	uint16_t worst = 0;

	if (!counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < sample_size(before->placement, sample); i++) {
		uint16_t list[2];

		if (before->owners[i] != lost)
			continue;
		if (after)
			list[1] = after->owners[i];
		else if (sample_list(before->placement, sample, i, list, 2) < 2)
			continue;
		if (list[1] == PLACEMENT_NONE)
			continue;
		all++;
		if (++counts[list[1]] > counts[worst])
			worst = list[1];
	}
	if (all) {
		figures->worst_neighbour = (double)counts[worst] / all;
		snprintf(figures->lost, sizeof figures->lost, "%s",
			 placement_member_name(before->placement, lost));
		snprintf(figures->neighbour, sizeof figures->neighbour, "%s",
			 placement_member_name(heirs, worst));
	}
	free(counts);
	return 0;
}

int compare(const struct sample *sample, const struct side *before, const struct side *after,
	    struct figures *figures)
{
	uint32_t size = sample_size(before->placement, sample), *counts = owners_count(before, size);
	uint16_t lost;
	int error = 0;

	if (!counts)
		return -ENOMEM;
	compare_spread(before, counts, size, figures);
	lost = lost_member(before, after, counts);
	if (lost != PLACEMENT_NONE)
		error = compare_loss(sample, before, after, lost, figures);
	else if (after) {
		lost = lost_member(before, NULL, counts);
		if (lost != PLACEMENT_NONE)
			error = compare_loss(sample, before, NULL, lost, figures);
	}
	free(counts);
	figures->changed = after != NULL;
	if (after && !error)
		error = compare_moves(before, after, size, figures);
	return error;
}

static bool in_list(const uint16_t *list, size_t count, uint16_t member)
{
	while (count > 0)
		if (list[--count] == member)
			return true;
	return false;
}

/* Of the tokens at and behind a key, as many as replicas: whether a server comes twice among them. */
static bool ring_repeats(const struct placement *placement, const struct sample *sample, uint32_t nth,
			 size_t replicas, size_t tokens)
{
	char key[KEY_ROOM];
	uint64_t hash, position;
	size_t from = 0, count = tokens;
	uint16_t met[LIST_MAX];

	hash = placement_key_hash(placement, key, sample_key(sample, nth, key));
	while (count > 0) {
		size_t half = count / 2;

		placement_token(placement, from + half, &position, met);
		if (position < hash) {
			from += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	for (size_t i = 0; i < replicas && i < tokens; i++) {
		uint16_t member;

		placement_token(placement, (from + i) % tokens, &position, &member);
		if (in_list(met, i, member))
			return true;
		met[i] = member;
	}
	return false;
}

static size_t ring_tokens(const struct placement *placement)
{
	size_t tokens = 0, step = 1 << 24;
	uint64_t position;
	uint16_t member;

	for (; step > 0; step /= 2)
		if (placement_token(placement, tokens + step - 1, &position, &member))
			tokens += step;
	return tokens;
}

int compare_replicas(const struct sample *sample, const struct side *before, const struct side *after,
		     size_t replicas, struct figures *figures)
{
	uint32_t size = sample_size(before->placement, sample), moved = 0, lost = 0, repeated = 0, copies = 0;
	size_t tokens = sample->prefix ? ring_tokens(before->placement) : 0;
	uint16_t *map = members_map(before, after);

	if (!map)
		return -ENOMEM;
	replicas = replicas < LIST_MAX ? replicas : LIST_MAX;
	for (uint32_t i = 0; i < size; i++) {
		uint16_t old[LIST_MAX], new[LIST_MAX];
		size_t olds = sample_list(before->placement, sample, i, old, replicas);
		size_t news = sample_list(after->placement, sample, i, new, replicas);

		for (size_t rank = 0; rank < olds; rank++) {
			old[rank] = map[old[rank]];
			lost += old[rank] == PLACEMENT_NONE;
		}
		for (size_t rank = 0; rank < news; rank++)
			moved += !in_list(old, olds, new[rank]);
		copies += (uint32_t)news;
		repeated += tokens && ring_repeats(before->placement, sample, i, replicas, tokens);
	}
	figures->copies_moved = (double)moved / fmax(copies, 1);
	figures->copies_lost = (double)lost / fmax(copies, 1);
	figures->duplicates = tokens ? (double)repeated / size : NAN;
	free(map);
	return 0;
}

uint64_t bounded_cap(uint64_t load, double factor, uint64_t weight, uint64_t total)
{
	/* Within a millionth of a whole number it is one: 1.2 * 10 / 4 must not become 4 by a rounding
	 * of 1.2. */
	return total ? (uint64_t)ceil(factor * (double)load * (double)weight / (double)total - 1e-6) : 0;
}

/* Goes down a key's list to the first with room. */
static bool bounded_place(const struct sample *sample, const struct side *side, uint32_t nth,
			  const uint64_t *caps, uint32_t *loads)
{
	size_t members = placement_members(side->placement);
	uint16_t owner = side->owners[nth], list[LIST_MAX];
	size_t count;

	if (owner == PLACEMENT_NONE)
		return true;
	if (loads[owner] < caps[owner]) {
		loads[owner]++;
		return true;
	}
	count = sample_list(side->placement, sample, nth, list, LIST_MAX);
	for (size_t rank = 0; rank < count; rank++)
		if (loads[list[rank]] < caps[list[rank]]) {
			loads[list[rank]]++;
			return false;
		}
	for (size_t i = 0; i < members; i++) /* sixty-four in a row are full: whoever is not */
		if (loads[i] < caps[i]) {
			loads[i]++;
			return false;
		}
	return false;
}

int compare_bounded(const struct sample *sample, const struct side *before, double factor,
		    struct figures *figures)
{
	uint32_t size = sample_size(before->placement, sample), overflow = 0;
	size_t members = placement_members(before->placement), weighted = 0;
	uint64_t total = weights_total(before), *caps = calloc(members + 1, sizeof *caps);
	uint32_t *loads = calloc(members + 1, sizeof *loads);
	int error = caps && loads ? 0 : -ENOMEM;

	for (size_t i = 0; i < members && !error; i++) {
		caps[i] = bounded_cap(size, factor, before->weights[i], total);
		weighted += before->weights[i] > 0;
	}
	for (uint32_t i = 0; i < size && !error; i++)
		overflow += !bounded_place(sample, before, i, caps, loads);
	if (!error) {
		figures->cap = (double)bounded_cap(size, factor, 1, weighted);
		figures->overflow = (double)overflow / size;
	}
	free(caps);
	free(loads);
	return error;
}
