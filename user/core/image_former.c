/* SPDX-License-Identifier: Apache-2.0 */
/* Former owners: for each slot the first two preferences of every earlier member set, newest first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "image_pool.h"

/* The first two of a set are former owners; the third is where flows went when neither could take them. */
enum { PREFERRED = 2 };

struct shared_former {
	unsigned int references;
	uint64_t digest;                          /* of the history it was made from */
	const struct shared_placement *placement; /* whose numbers the members have; only compared */
	uint16_t *members;                        /* [slots][FORMER_DEPTH] */
	uint16_t *thirds;                         /* [slots][FORMER_DEPTH] */
};

const uint16_t *shared_former_members(const struct shared_former *shared)
{
	return shared->members;
}

const uint16_t *shared_former_thirds(const struct shared_former *shared)
{
	return shared->thirds;
}

void shared_former_drop(struct shared_former *shared)
{
	if (!shared || --shared->references)
		return;
	free(shared->members);
	free(shared->thirds);
	free(shared);
}

/* Only tables with the same slots say anything about a slot. */
static bool is_comparable(const struct member_record *record, const struct hf_table *table)
{
	return record->slots == table->size && record->seed == table->seed && record->hash == table->hash;
}

static void add(uint16_t *list, uint16_t member)
{
	for (int i = 0; i < FORMER_DEPTH; i++) {
		if (list[i] == member)
			return;
		if (list[i] == PLACEMENT_NONE) {
			list[i] = member;
			return;
		}
	}
}

/* numbers: what the current placement calls the members of old; those that are gone serve nobody. */
static int add_preferences(struct shared_former *former, struct placement *old,
			   const struct placement *current, uint16_t *numbers)
{
	const uint16_t *preferences = placement_preferences(old);
	uint32_t slots = placement_slots(old);

	if (!preferences)
		return -ENOMEM;
	for (size_t i = 0; i < placement_members(old); i++)
		numbers[i] = placement_member_number(current, placement_member_name(old, (uint16_t)i));
	for (uint32_t slot = 0; slot < slots; slot++, preferences += PLACEMENT_STORED_PREFERENCES) {
		for (int i = 0; i < PLACEMENT_STORED_PREFERENCES && preferences[i] != PLACEMENT_NONE; i++)
			if (numbers[preferences[i]] != PLACEMENT_NONE)
				add((i < PREFERRED ? former->members : former->thirds) +
					    (size_t)slot * FORMER_DEPTH,
				    numbers[preferences[i]]);
	}
	return 0;
}

/* A set that cannot be placed (its scheme is gone, it came from a foreign file) preferred nobody. */
static int add_record(struct shared_former *former, const struct member_record *record,
		      const struct placement *current)
{
	struct member_set set = {.scheme = record->scheme, .slots = record->slots, .seed = record->seed};
	struct placement *placement = NULL;
	struct member *members;
	uint16_t *numbers;
	char *names;
	int error = members_parse(record->members, &members, &set.count, &names);

	if (error < 0)
		return error == -EINVAL ? 0 : error;
	set.members = members;
	numbers = malloc((set.count + 1) * sizeof *numbers);
	error = numbers ? placement_build(&set, &placement, NULL) : -ENOMEM;
	if (error == 0)
		error = add_preferences(former, placement, current, numbers);
	placement_free(placement);
	free(numbers);
	free(members);
	free(names);
	return error == -EINVAL ? 0 : error;
}

static int make_former(const struct pool_image *image, const struct member_record *records, size_t count,
		       struct shared_former **ret)
{
	size_t bytes = (size_t)image->table.size * FORMER_DEPTH * sizeof(uint16_t);
	struct shared_former *former = calloc(1, sizeof *former);
	int error = 0;

	if (!former)
		return -ENOMEM;
	former->references = 1;
	former->digest = image->history_digest;
	former->placement = image->shared_placement;
	former->members = malloc(bytes);
	former->thirds = malloc(bytes);
	if (former->members && former->thirds) {
		memset(former->members, 0xff, bytes);
		memset(former->thirds, 0xff, bytes);
	} else {
		error = -ENOMEM;
	}
	for (size_t i = 0; error == 0 && i < count; i++)
		if (is_comparable(&records[i], &image->table))
			error = add_record(former, &records[i], image->placement);
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
		error = make_former(image, records, count, &former);
		if (error < 0)
			return error;
	}
	image->shared_former = former;
	return 0;
}
