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

static bool list_is_full(const struct list *list)
{
	return list->count + (list->answering != 0) == HF_MAX_HOPS;
}

static void offer(struct list *list, uint16_t number)
{
	uint8_t state = list->states[number];

	if (list_is_full(list))
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

/* The older backends of the member's name, at other addresses: they drain. */
static void offer_older(struct list *list, const struct pool_image *image, uint16_t member)
{
	for (uint16_t at = image->members[member].older; at; at = image->members[at - 1].older)
		offer(list, image->members[at - 1].number);
}

static void offer_members(struct list *list, const struct pool_image *image, const uint16_t *members,
			  size_t count)
{
	for (size_t i = 0; i < count && members[i] != PLACEMENT_NONE && !list_is_full(list); i++) {
		offer(list, image->members[members[i]].number);
		offer_older(list, image, members[i]);
	}
}

/* History names members by their names: while an older one drains, it is more likely the one that is meant.
 */
static void offer_former(struct list *list, const struct pool_image *image, const uint16_t *members,
			 size_t count)
{
	for (size_t i = 0; i < count && members[i] != PLACEMENT_NONE && !list_is_full(list); i++) {
		offer_older(list, image, members[i]);
		offer(list, image->members[members[i]].number);
	}
}

static struct hf_hops list_finish(const struct list *list)
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
	size_t able;     /* members that serve */
	bool answering;  /* some member only answers */
	bool older;      /* some member has others at other addresses before it */
	uint64_t *marks; /* placement_mark() of those who do one or the other */
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

/* The rest of a walk: members that serve and are not listed, and the first that only answers. */
struct search {
	const struct hops_job *job;
	struct list *list;
	size_t missing; /* members that serve and are not listed */
};

/* Whether a list would become another by an offer. */
static bool is_missing(const struct list *list, uint16_t number)
{
	if (!(list->states[number] & BACKEND_SERVES))
		return !list->answering && list->states[number] & BACKEND_ANSWERS;
	for (unsigned int i = 0; i < list->count; i++)
		if (list->backend[i] == number)
			return false;
	return true;
}

static bool is_sought(void *context, uint16_t member)
{
	const struct search *search = context;
	const struct pool_member *members = search->job->image->members;

	if (is_missing(search->list, members[member].number))
		return true;
	for (uint16_t at = members[member].older; at; at = members[at - 1].older)
		if (is_missing(search->list, members[at - 1].number))
			return true;
	return false;
}

static bool list_sought(void *context, uint16_t member)
{
	struct search *search = context;
	unsigned int before = search->list->count;

	offer_members(search->list, search->job->image, &member, 1);
	search->missing -= search->list->count - before;
	return list_is_full(search->list) ||
	       (!search->missing && (search->list->answering || !search->job->answering));
}

static void search_rest(const struct hops_job *job, uint32_t at, struct list *list)
{
	struct search search = {.job = job, .list = list, .missing = job->older ? SIZE_MAX : job->able};
	const struct placement_visitor visitor = {job->marks, is_sought, list_sought, &search};

	for (unsigned int i = 0; i < list->count; i++)
		search.missing -= job->states[list->backend[i]] & BACKEND_ABLE ? 1 : 0;
	placement_visit(job->image->placement, at, &visitor);
}

static struct hf_hops make_hops(const struct hops_job *job, uint32_t at)
{
	const struct pool_image *image = job->image;
	const uint16_t *walk = job->walks + (size_t)at * WALK_DEPTH;
	const uint16_t *former = shared_former_slot(job->former, at);
	struct slot slot = slot_read(image->words[at], 0);
	struct list list = {.states = job->states};
	uint16_t taking[WALK_DEPTH];

	skip_resting(image, walk, taking);
	offer(&list, slot.owner);
	offer(&list, slot.base);
	offer_members(&list, image, taking, 1);
	offer_former(&list, image, former, OWNERS_DEPTH);
	offer_members(&list, image, taking, CURRENT_RANKS);
	offer_members(&list, image, walk, 1);
	former += OWNERS_DEPTH;
	/* What was second when the first was down has more of its flows than what is seventh now. */
	for (unsigned int rank = 1; rank < KEPT_RANKS && !list_is_full(&list); rank++, former += RANK_DEPTH) {
		if (rank >= CURRENT_RANKS) /* those before it were offered already */
			offer_members(&list, image, taking + rank, 1);
		offer_former(&list, image, former, RANK_DEPTH);
	}
	offer_members(&list, image, walk, WALK_DEPTH);
	if (!list_is_full(&list) && list.count < job->able)
		search_rest(job, at, &list);
	return list_finish(&list);
}

/* Whether a member, or one that had its name before it, can be in a list. */
static bool is_candidate(const struct hops_job *job, size_t member)
{
	const struct pool_member *members = job->image->members;
	bool candidate = members[member].serves || members[member].answers;

	for (uint16_t at = members[member].older; at; at = members[at - 1].older)
		candidate = candidate || members[at - 1].serves || members[at - 1].answers;
	return candidate;
}

static int count_members(struct hops_job *job)
{
	const struct pool_image *image = job->image;
	bool *candidates = calloc(placement_members(image->placement) + 1, sizeof *candidates);

	if (!candidates)
		return -ENOMEM;
	for (size_t i = 0; i < placement_members(image->placement); i++) {
		const struct pool_member *member = &image->members[i];

		job->able += member->serves && member->weight;
		job->answering = job->answering || (member->answers && !member->serves && member->weight);
		job->older = job->older || member->older;
		candidates[i] = is_candidate(job, i);
	}
	job->marks = placement_mark(image->placement, candidates);
	free(candidates);
	return job->marks ? 0 : -ENOMEM;
}

static bool hops_unchanged(const struct pool_image *a, const struct pool_image *b)
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

static int hops_fill(const struct pool_job *job, const struct pool_image *image, struct hf_hops *hops)
{
	struct hops_job each = {.image = image,
				.states = job->states,
				.walks = shared_placement_walks(image->shared_placement),
				.former = image->shared_former};

	if (!each.walks || count_members(&each) < 0)
		return -ENOMEM;
	for (uint32_t at = 0; at < image->table.size; at++)
		hops[at] = make_hops(&each, at);
	free(each.marks);
	return 0;
}

int shared_hops_get(const struct pool_job *job, struct pool_image *image)
{
	struct shared_hops *shared;
	int error;

	if (job->pool->encap != HF_ENCAP_GUE)
		return 0;
	if (job->before && hops_unchanged(image, job->before)) {
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
	error = shared->hops ? hops_fill(job, image, shared->hops) : -ENOMEM;
	if (error < 0) {
		shared_hops_drop(shared);
		return error;
	}
	image->shared_hops = shared;
	image->hops = shared->hops;
	return 0;
}
