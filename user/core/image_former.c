/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Former owners: for each slot the first preferences of every earlier member set, newest first. Behind them,
 * in lists of their own, the further preferences of these sets: where flows went when the first could take
 * none.
 *
 * All of it follows from the history alone. A set that was in force until now is put before what is known of
 * those before it; where that would not give the same as starting from nothing, it is started from nothing.
 */
#include <errno.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "image_pool.h"
#include "pool_options.h"

struct shared_former {
	unsigned int references;
	uint64_t digest;                          /* of the history it was made from */
	uint64_t set;                             /* hash_set() of the set in force */
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
	free(shared->members);
	free(shared);
}

/* Lists --------------------------------------------------------------------------- */

static void list_of_rank(unsigned int rank, unsigned int *ret_at, unsigned int *ret_depth)
{
	*ret_at = rank < FORMER_RANKS ? 0 : FORMER_DEPTH + (rank - FORMER_RANKS) * FURTHER_DEPTH;
	*ret_depth = rank < FORMER_RANKS ? FORMER_DEPTH : FURTHER_DEPTH;
}

static void add(struct shared_former *former, uint16_t *list, unsigned int depth, uint16_t member)
{
	for (unsigned int i = 0; i < depth; i++) {
		if (list[i] == member)
			return;
		if (list[i] == PLACEMENT_NONE) {
			list[i] = member;
			return;
		}
	}
	former->truncated = true;
}

/* numbers: what the set in force calls the members; those that are gone serve nobody. */
static void add_walk(struct shared_former *former, uint32_t slot, const uint16_t *walk,
		     const uint16_t *numbers)
{
	uint16_t *lists = former->members + (size_t)slot * FORMER_WIDTH;

	for (unsigned int rank = 0; rank < KEPT_RANKS && walk[rank] != PLACEMENT_NONE; rank++) {
		unsigned int at, depth;

		list_of_rank(rank, &at, &depth);
		if (numbers[walk[rank]] != PLACEMENT_NONE)
			add(former, lists + at, depth, numbers[walk[rank]]);
	}
}

static void add_lists(struct shared_former *former, uint32_t slot, const uint16_t *lists,
		      const uint16_t *numbers)
{
	for (unsigned int rank = FORMER_RANKS - 1; rank < KEPT_RANKS; rank++) {
		unsigned int at, depth;

		list_of_rank(rank, &at, &depth);
		for (unsigned int i = at; i < at + depth && lists[i] != PLACEMENT_NONE; i++)
			if (numbers[lists[i]] != PLACEMENT_NONE)
				add(former, former->members + (size_t)slot * FORMER_WIDTH + at, depth,
				    numbers[lists[i]]);
	}
}

static uint16_t *map_numbers(const struct placement *from, const struct placement *to)
{
	uint16_t *numbers = malloc((placement_members(from) + 1) * sizeof *numbers);

	for (size_t i = 0; numbers && i < placement_members(from); i++)
		numbers[i] = placement_member_number(to, placement_member_name(from, (uint16_t)i));
	return numbers;
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

static int add_placement(struct shared_former *former, const struct placement *old,
			 const struct placement *current)
{
	uint16_t *numbers = map_numbers(old, current), walk[KEPT_RANKS];
	uint32_t size = placement_slots(current), old_size = placement_slots(old), walked = UINT32_MAX;

	if (!numbers)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < size; slot++) {
		uint64_t first = lowest_hash(slot, size) * old_size >> 32;
		uint64_t last = (lowest_hash(slot + 1, size) - 1) * old_size >> 32;

		for (uint32_t at = (uint32_t)first; at <= last; at++) {
			if (at != walked) {
				memset(walk, 0xff, sizeof walk);
				placement_walk(old, at, walk, KEPT_RANKS);
				walked = at;
			}
			add_walk(former, slot, walk, numbers);
		}
	}
	free(numbers);
	return 0;
}

/* A set that cannot be placed (its scheme is gone, it came from a foreign file) preferred nobody. */
static int add_record(struct shared_former *former, const struct member_record *record,
		      const struct placement *current)
{
	struct placement *placement = NULL;
	int error = record_placement(record, &placement, NULL);

	if (error == 0)
		error = add_placement(former, placement, current);
	placement_free(placement);
	return error == -EINVAL ? 0 : error;
}

/* From what was ---------------------------------------------------------------------- */

static bool names_member(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += length)
		if ((at == text || at[-1] == ' ') && (at[length] == '\0' || strchr(" *@", at[length])))
			return true;
	return false;
}

static uint64_t hash_set(enum placement_scheme scheme, const struct pool_options *options,
			 const char *members)
{
	const uint64_t parts[] = {scheme, pool_options_digest(options),
				  XXH64(members, (__u32)strlen(members), 0)};

	return XXH64(parts, sizeof parts, 0);
}

/* Whether putting the set of before in front of what it knew gives what the whole history gives. */
static bool can_extend(const struct pool_image *before, const struct pool_image *image,
		       const struct member_record *records, size_t count)
{
	const struct shared_former *former = before ? before->shared_former : NULL;
	const struct placement *old = before ? before->placement : NULL, *current = image->placement;

	if (!former || !count || !pool_image_same_hash(before, image) ||
	    !is_comparable(records, &image->table) || records->slots != image->table.size ||
	    former->set != hash_set(records->scheme, &records->options, records->members) ||
	    former->digest != history_digest(records + 1, count - 1))
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
			if (names_member(records[j].members, name))
				return false;
	}
	return true;
}

static int extend(struct shared_former *former, const struct pool_image *before,
		  const struct pool_image *image)
{
	const uint16_t *walks = shared_placement_walks(before->shared_placement);
	uint16_t *numbers = map_numbers(before->placement, image->placement);

	if (!walks || !numbers) {
		free(numbers);
		return -ENOMEM;
	}
	former->truncated = before->shared_former->truncated;
	for (uint32_t slot = 0; slot < image->table.size; slot++) {
		add_walk(former, slot, walks + (size_t)slot * WALK_DEPTH, numbers);
		add_lists(former, slot, shared_former_slot(before->shared_former, slot), numbers);
	}
	free(numbers);
	return 0;
}

/* ------------------------------------------------------------------------------------- */

static int fill(struct shared_former *former, const struct pool_job *job, const struct pool_image *image,
		const struct member_record *records, size_t count)
{
	size_t bytes = (size_t)image->table.size * FORMER_WIDTH * sizeof *former->members;
	char *text = members_text(job->pool);
	int error = 0;

	former->members = malloc(bytes);
	if (!text || !former->members) {
		free(text);
		return -ENOMEM;
	}
	former->set = hash_set(job->pool->scheme, &job->pool->options, text);
	free(text);
	memset(former->members, 0xff, bytes);
	if (can_extend(job->before, image, records, count))
		return extend(former, job->before, image);
	for (size_t i = 0; error == 0 && i < count; i++)
		if (is_comparable(&records[i], &image->table))
			error = add_record(former, &records[i], image->placement);
	return error;
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
	error = fill(former, job, image, records, count);
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

	records = history_of(job->model, job->pool->name, job->moment->wall, &count);
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
