/* SPDX-License-Identifier: Apache-2.0 */
/* Hops: the backends that the packets of a slot name, so that a flow finds its backend whoever forwards it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image_pool.h"
#include "moves.h"

struct shared_hops {
	unsigned int references;
	struct hf_hops *hops;
};

void shared_hops_drop(struct shared_hops *shared)
{
	if (!shared || --shared->references)
		return;
	free(shared->hops);
	free(shared);
}

/* A list that grows: who serves, best first, and the first who only answers and would be among them if it
 * served. */
struct list {
	const uint8_t *states;
	uint16_t backend[HF_MAX_HOPS];
	unsigned int count;
	uint16_t answering;
};

static bool is_whole(const struct list *list)
{
	return list->count + (list->answering != 0) == HF_MAX_HOPS;
}

static void offer(struct list *list, uint16_t number)
{
	uint8_t state = list->states[number];

	if (is_whole(list))
		return;
	if (!list->answering && (state & BACKEND_ANSWERS) && !(state & BACKEND_SERVES))
		list->answering = number;
	if (!(state & BACKEND_SERVES))
		return;
	for (unsigned int i = 0; i < list->count; i++)
		if (list->backend[i] == number)
			return;
	list->backend[list->count++] = number;
}

/* Those at other addresses that had the member's name before it, and drain. */
static void offer_older(struct list *list, const struct pool_image *image, uint16_t member)
{
	for (uint16_t at = image->members[member].older; at; at = image->members[at - 1].older)
		offer(list, image->members[at - 1].number);
}

static void offer_members(struct list *list, const struct pool_image *image, const uint16_t *members,
			  size_t count)
{
	for (size_t i = 0; i < count && members[i] != PLACEMENT_NONE && !is_whole(list); i++) {
		offer(list, image->members[members[i]].number);
		offer_older(list, image, members[i]);
	}
}

/* History names members by their names: while an older one drains, it is more likely the one that is meant.
 */
static void offer_former(struct list *list, const struct pool_image *image, const uint16_t *members,
			 size_t count)
{
	for (size_t i = 0; i < count && members[i] != PLACEMENT_NONE && !is_whole(list); i++) {
		offer_older(list, image, members[i]);
		offer(list, image->members[members[i]].number);
	}
}

static struct hf_hops finish(const struct list *list)
{
	struct hf_hops hops = {.count = (uint8_t)list->count};

	memcpy(hops.backend, list->backend, list->count * sizeof *list->backend);
	if (list->answering) {
		hops.backend[hops.count++] = list->answering;
		hops.flags = HF_HOPS_LAST_ANSWERS;
	}
	return hops;
}

struct hops_job {
	const struct pool_image *image;
	const uint8_t *states;
	const uint16_t *walks;
	const struct shared_former *former;
	uint16_t *room; /* for a walk over all members, where the short one does not fill the list */
	size_t able;    /* members that serve */
};

/* A walk without the members that rest. */
static void skip_resting(const struct pool_image *image, const uint16_t *walk,
			 uint16_t ret_taking[WALK_DEPTH])
{
	size_t count = 0;

	for (size_t i = 0; i < WALK_DEPTH && walk[i] != PLACEMENT_NONE; i++)
		if (!image->members[walk[i]].rests)
			ret_taking[count++] = walk[i];
	while (count < WALK_DEPTH)
		ret_taking[count++] = PLACEMENT_NONE;
}

static struct hf_hops make_hops(const struct hops_job *job, uint32_t at)
{
	const struct pool_image *image = job->image;
	const uint16_t *walk = job->walks + (size_t)at * WALK_DEPTH;
	const uint16_t *former = shared_former_slot(job->former, at);
	struct slot slot = slot_read(image->words[at], 0);
	struct list list = {.states = job->states};
	uint16_t taking[WALK_DEPTH];
	size_t members;

	skip_resting(image, walk, taking);
	offer(&list, slot.owner);
	offer(&list, slot.base);
	offer_members(&list, image, taking, 1);
	offer_former(&list, image, former, OWNERS_DEPTH);
	offer_members(&list, image, taking, CURRENT_RANKS);
	offer_members(&list, image, walk, 1);
	former += OWNERS_DEPTH;
	/* What was second when the first was down has more of its flows than what is seventh now. */
	for (unsigned int rank = 1; rank < KEPT_RANKS && !is_whole(&list); rank++, former += RANK_DEPTH) {
		offer_members(&list, image, taking, rank + 1);
		offer_former(&list, image, former, RANK_DEPTH);
	}
	offer_members(&list, image, walk, WALK_DEPTH);
	if (!is_whole(&list) && list.count < job->able) {
		members =
			placement_walk(image->placement, at, job->room, placement_members(image->placement));
		offer_members(&list, image, job->room, members);
	}
	return finish(&list);
}

static size_t count_able(const struct pool_image *image)
{
	size_t able = 0;

	for (size_t i = 0; i < placement_members(image->placement); i++)
		able += image->members[i].serves && image->members[i].weight;
	return able;
}

static bool same_hops(const struct pool_image *a, const struct pool_image *b)
{
	if (a->shared_placement != b->shared_placement || a->shared_former != b->shared_former ||
	    a->words != b->words || !b->shared_hops || a->member_count != b->member_count)
		return false;
	for (size_t i = 0; i < a->member_count; i++)
		if (a->members[i].number != b->members[i].number ||
		    a->members[i].older != b->members[i].older ||
		    a->members[i].rests != b->members[i].rests ||
		    a->members[i].serves != b->members[i].serves ||
		    a->members[i].answers != b->members[i].answers)
			return false;
	return true;
}

static int fill(const struct pool_job *job, const struct pool_image *image, struct hf_hops *hops)
{
	struct hops_job each = {.image = image,
				.states = job->states,
				.walks = shared_placement_walks(image->shared_placement),
				.former = image->shared_former,
				.able = count_able(image)};

	each.room = malloc((placement_members(image->placement) + 1) * sizeof *each.room);
	if (!each.walks || !each.room) {
		free(each.room);
		return -ENOMEM;
	}
	for (uint32_t at = 0; at < image->table.size; at++)
		hops[at] = make_hops(&each, at);
	free(each.room);
	return 0;
}

int shared_hops_get(const struct pool_job *job, struct pool_image *image)
{
	struct shared_hops *shared;
	int error;

	if (job->pool->encap != HF_ENCAP_GUE)
		return 0;
	if (job->before && same_hops(image, job->before)) {
		job->before->shared_hops->references++;
		image->shared_hops = job->before->shared_hops;
		image->hops = job->before->hops;
		return 0;
	}
	shared = calloc(1, sizeof *shared);
	if (!shared)
		return -ENOMEM;
	shared->references = 1;
	shared->hops = malloc(image->table.size * sizeof *shared->hops);
	error = shared->hops ? fill(job, image, shared->hops) : -ENOMEM;
	if (error < 0) {
		shared_hops_drop(shared);
		return error;
	}
	image->shared_hops = shared;
	image->hops = shared->hops;
	return 0;
}
