/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Former owners: for each slot its owner under every earlier member set, newest first: the first it preferred
 * of those that did not rest. Behind them, in lists of their own, the second and further ones of these sets:
 * where flows went when the first were down.
 *
 * All of it follows from the history alone. A set that was in force until now is put before what is known of
 * those before it; where that would not give the same as starting from nothing, it is started from nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/history.h"
#include "core/model/member_record.h"
#include "core/model/pool_placement.h"
#include "image_pool.h"

struct shared_former {
	unsigned int references;
	uint64_t digest; /* of the history it was made from */
	uint64_t *sets;  /* of each of its records */
	size_t count;
	uint64_t set;                             /* of the set in force */
	const struct shared_placement *placement; /* whose numbers the members have */
	bool truncated;                           /* some list had no room for all */
	uint16_t *members;                        /* [slots][FORMER_WIDTH] */
};

const uint16_t *shared_former_slot(const struct shared_former *shared, uint32_t slot)
{
	return shared->members + (size_t)slot * FORMER_WIDTH;
}

void shared_former_drop(struct shared_former *shared)
{
	if (!shared || --shared->references)
		return;
	free(shared->sets);
	free(shared->members);
	free(shared);
}

/* Lists --------------------------------------------------------------------------- */

/* Adds a member to the list of a rank. */
static void former_add(struct shared_former *former, uint16_t *lists, unsigned int rank, uint16_t member)
{
	unsigned int at = rank ? OWNERS_DEPTH + (rank - 1) * RANK_DEPTH : 0;
	unsigned int end = at + (rank ? RANK_DEPTH : OWNERS_DEPTH);

	if (member == PLACEMENT_NONE) /* gone: it serves nobody */
		return;
	for (; at < end; at++) {
		if (lists[at] == member)
			return;
		if (lists[at] == PLACEMENT_NONE) {
			lists[at] = member;
			return;
		}
	}
	former->truncated = true;
}

/* Sets that differ in who rests alone: they have one placement. */
struct sets {
	const struct placement *placement;
	uint16_t *numbers; /* what the set in force calls the members */
	bool *rests;       /* [count][members] */
	size_t count;
};

static void sets_release(struct sets *sets)
{
	free(sets->numbers);
	free(sets->rests);
}

static void mark_resting(bool *rests, const struct placement *placement, const char *members)
{
	char name[NAME_SIZE];

	while ((members = members_next_resting(members, name))) {
		uint16_t number = placement_member_number(placement, name);

		if (number != PLACEMENT_NONE)
			rests[number] = true;
	}
}

static int sets_prepare(struct sets *ret, const struct member_record *records, size_t count,
			const struct placement *placement, const struct placement *current)
{
	size_t members = placement_members(placement);
	struct sets sets = {.placement = placement,
			    .numbers = malloc((members + 1) * sizeof *sets.numbers),
			    .rests = calloc(count * members + 1, sizeof *sets.rests),
			    .count = count};

	if (!sets.numbers || !sets.rests) {
		sets_release(&sets);
		return -ENOMEM;
	}
	for (size_t i = 0; i < members; i++)
		sets.numbers[i] =
			placement_member_number(current, placement_member_name(placement, (uint16_t)i));
	for (size_t i = 0; i < count; i++)
		mark_resting(sets.rests + i * members, placement, records[i].members);
	*ret = sets;
	return 0;
}

/* Ranks are those among the members that did not rest. */
static void add_walk(struct shared_former *former, uint16_t *lists, const struct sets *sets,
		     const uint16_t *walk, const bool *rests)
{
	unsigned int rank = 0;

	for (unsigned int i = 0; i < WALK_DEPTH && walk[i] != PLACEMENT_NONE && rank < KEPT_RANKS; i++)
		if (!rests[walk[i]])
			former_add(former, lists, rank++, sets->numbers[walk[i]]);
}

static void add_sets(struct shared_former *former, uint32_t slot, const struct sets *sets,
		     const uint16_t *walk)
{
	uint16_t *lists = former->members + (size_t)slot * FORMER_WIDTH;

	for (size_t i = 0; i < sets->count; i++)
		add_walk(former, lists, sets, walk, sets->rests + i * placement_members(sets->placement));
}

static void add_lists(struct shared_former *former, uint32_t slot, const uint16_t *lists,
		      const struct sets *sets)
{
	uint16_t *to = former->members + (size_t)slot * FORMER_WIDTH;

	for (unsigned int i = 0; i < FORMER_WIDTH; i++)
		if (lists[i] != PLACEMENT_NONE)
			former_add(former, to, i < OWNERS_DEPTH ? 0 : 1 + (i - OWNERS_DEPTH) / RANK_DEPTH,
				   sets->numbers[lists[i]]);
}

/* From nothing --------------------------------------------------------------------- */

/* Another seed or hash policy says nothing about a slot; another size does, since slots are ranges of hashes.
 */
static bool is_comparable(const struct member_record *record, const struct hf_table *table)
{
	return record->seed == table->seed && record->hash == table->hash;
}

/* The lowest of the hashes (their upper halves, which hf_slot_index() scales) that belong to a slot. */
static uint64_t lowest_hash(uint32_t slot, uint32_t size)
{
	return (((uint64_t)slot << 32) + size - 1) / size;
}

static void add_placement(struct shared_former *former, const struct sets *sets, uint32_t size)
{
	uint32_t old_size = placement_slots(sets->placement), walked = UINT32_MAX;
	uint16_t walk[WALK_DEPTH];

	for (uint32_t slot = 0; slot < size; slot++) {
		uint64_t first = lowest_hash(slot, size) * old_size >> 32;
		uint64_t last = (lowest_hash(slot + 1, size) - 1) * old_size >> 32;

		for (uint32_t at = (uint32_t)first; at <= last; at++) {
			if (at != walked) {
				memset(walk, 0xff, sizeof walk);
				placement_walk(sets->placement, at, walk, WALK_DEPTH);
				walked = at;
			}
			add_sets(former, slot, sets, walk);
		}
	}
}

/* Records of one placement. One that cannot be placed (its scheme is gone, it came from a foreign file)
 * preferred nobody. */
static int add_records(struct shared_former *former, const struct member_record *records, size_t count,
		       const struct placement *current)
{
	struct placement *placement = NULL;
	struct sets sets;
	int error = record_placement(records, &placement, NULL);

	if (error == 0)
		error = sets_prepare(&sets, records, count, placement, current);
	if (error == 0) {
		add_placement(former, &sets, placement_slots(current));
		sets_release(&sets);
	}
	placement_free(placement);
	return error == -EINVAL ? 0 : error;
}

static int former_start(struct shared_former *former, const struct pool_image *image,
			const struct member_record *records, size_t count)
{
	int error = 0;

	for (size_t i = 0, like; error == 0 && i < count; i += like) {
		for (like = 1;
		     i + like < count && member_record_same_placement(&records[i], &records[i + like]);
		     like++)
			;
		if (is_comparable(&records[i], &image->table))
			error = add_records(former, &records[i], like, image->placement);
	}
	return error;
}

/* From what was ---------------------------------------------------------------------- */

/* Whether former is of these records. It may have known the set that was in force before too: that one goes
 * before all others now. */
static bool is_of(const struct shared_former *former, const struct member_record *records, size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < former->count; i++) {
		if (former->sets[i] == former->set)
			continue;
		if (at == count || former->sets[i] != member_record_digest(&records[at]))
			return false;
		at++;
	}
	return at == count;
}

/* Whether putting the set of before in front of what it knew gives what the whole history gives. */
static bool former_can_extend(const struct pool_image *before, const struct pool_image *image,
			      const struct member_record *records, size_t count)
{
	const struct shared_former *former = before ? before->shared_former : NULL;
	const struct placement *old = before ? before->placement : NULL, *current = image->placement;

	if (!former || !count || !pool_image_same_hash(before, image) ||
	    !is_comparable(records, &image->table) || records->slots != image->table.size ||
	    former->set != member_record_digest(records) || !is_of(former, records + 1, count - 1))
		return false;
	for (size_t i = 0; former->truncated && i < placement_members(old); i++)
		if (placement_member_number(current, placement_member_name(old, (uint16_t)i)) ==
		    PLACEMENT_NONE)
			return false;
	for (size_t i = 0; i < placement_members(current); i++) {
		const char *name = placement_member_name(current, (uint16_t)i);

		if (placement_member_number(old, name) != PLACEMENT_NONE)
			continue;
		for (size_t j = 1; j < count; j++)
			if (members_name(records[j].members, name))
				return false;
	}
	return true;
}

static int former_extend(struct shared_former *former, const struct pool_image *before,
			 const struct pool_image *image, const struct member_record *record)
{
	const uint16_t *walks = shared_placement_walks(before->shared_placement);
	struct sets sets;

	if (!walks || sets_prepare(&sets, record, 1, before->placement, image->placement) < 0)
		return -ENOMEM;
	former->truncated = before->shared_former->truncated;
	for (uint32_t slot = 0; slot < image->table.size; slot++) {
		add_sets(former, slot, &sets, walks + (size_t)slot * WALK_DEPTH);
		add_lists(former, slot, shared_former_slot(before->shared_former, slot), &sets);
	}
	sets_release(&sets);
	return 0;
}

/* ------------------------------------------------------------------------------------- */

/* Which sets it is of. */
static int name_sets(struct shared_former *former, const struct pool_job *job, const struct pool_image *image,
		     const struct member_record *records, size_t count)
{
	char *text = members_text(job->pool);
	const struct member_record force = {.scheme = job->pool->scheme,
					    .options = job->pool->options,
					    .slots = image->table.size,
					    .seed = image->table.seed,
					    .hash = image->table.hash,
					    .members = text};

	former->sets = malloc((count + 1) * sizeof *former->sets);
	if (!text || !former->sets) {
		free(text);
		return -ENOMEM;
	}
	former->set = member_record_digest(&force);
	free(text);
	for (size_t i = 0; i < count; i++)
		former->sets[i] = member_record_digest(&records[i]);
	former->count = count;
	return 0;
}

static int former_fill(struct shared_former *former, const struct pool_job *job,
		       const struct pool_image *image, const struct member_record *records, size_t count)
{
	size_t bytes = (size_t)image->table.size * FORMER_WIDTH * sizeof *former->members;
	int error = name_sets(former, job, image, records, count);

	if (error < 0)
		return error;
	former->members = malloc(bytes);
	if (!former->members)
		return -ENOMEM;
	memset(former->members, 0xff, bytes);
	if (former_can_extend(job->before, image, records, count))
		return former_extend(former, job->before, image, records);
	return former_start(former, image, records, count);
}

static int make_former(const struct pool_job *job, const struct pool_image *image,
		       const struct member_record *records, size_t count, struct shared_former **ret)
{
	struct shared_former *former = calloc(1, sizeof *former);
	int error;

	if (!former)
		return -ENOMEM;
	former->references = 1;
	former->digest = image->history_digest;
	former->placement = image->shared_placement;
	error = former_fill(former, job, image, records, count);
	if (error < 0) {
		shared_former_drop(former);
		return error;
	}
	*ret = former;
	return 0;
}

int shared_former_get(const struct pool_job *job, struct pool_image *image)
{
	struct shared_former *former = job->before ? job->before->shared_former : NULL;
	const struct member_record *records;
	size_t count;
	int error;

	records = history_of(job->model, job->pool->name, &count);
	image->history_digest = history_digest(records, count);
	if (job->pool->encap != HF_ENCAP_GUE)
		return 0;
	if (former && former->digest == image->history_digest &&
	    former->placement == image->shared_placement) {
		former->references++;
	} else {
		error = make_former(job, image, records, count, &former);
		if (error < 0)
			return error;
	}
	image->shared_former = former;
	return 0;
}
