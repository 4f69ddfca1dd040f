/* SPDX-License-Identifier: Apache-2.0 */
/* A pool's words: who owns each slot at this moment, and what moves because of it. */
#include <errno.h>
#include <holdfast/slot.h>
#include <stdlib.h>

#include "image_pool.h"
#include "moves.h"

struct shared_words {
	unsigned int references;
	uint64_t *words; /* NULL: lent */
	uint32_t *since; /* NULL: lent, or no slot moves */
};

void shared_words_drop(struct shared_words *shared)
{
	if (!shared || --shared->references)
		return;
	free(shared->words);
	free(shared->since);
	free(shared);
}

void shared_words_lend(struct pool_image *image, const uint64_t *words, const uint32_t *since)
{
	struct shared_words *shared = image->shared_words, *lent;

	if (!shared || shared->references > 1) { /* another image needs what is there */
		lent = calloc(1, sizeof *lent);
		if (!lent) /* the image's own will do */
			return;
		lent->references = 1;
		shared_words_drop(shared);
		shared = lent;
	}
	free(shared->words);
	free(shared->since);
	shared->words = NULL;
	shared->since = NULL;
	image->shared_words = shared;
	image->words = words;
	image->since = image->since ? since : NULL;
}

/* Owners --------------------------------------------------------------------------- */

/* Who takes a slot's new flows: filled slot by slot, and what is needed for the rare ones is made when
 * needed. */
struct owners {
	const struct pool_image *image;
	const uint16_t *first;  /* placement_owners() */
	const uint16_t *stored; /* placement_preferences() */
	uint64_t *takers;       /* placement_mark() */
	bool anybody;
	bool failed;
};

static void owners_begin(struct owners *owners, const struct pool_image *image)
{
	*owners = (struct owners){.image = image, .first = placement_owners(image->placement)};
	for (size_t i = 0; i < placement_members(image->placement) && !owners->anybody; i++)
		owners->anybody = image->members[i].takes_new;
}

static void mark_takers(struct owners *owners)
{
	size_t count = placement_members(owners->image->placement);
	bool *takers = calloc(count + 1, sizeof *takers);

	for (size_t i = 0; takers && i < count; i++)
		takers[i] = owners->image->members[i].takes_new;
	owners->takers = takers ? placement_mark(owners->image->placement, takers) : NULL;
	free(takers);
}

/* Past the stored preferences the walk goes on to the first member that takes new flows. */
struct successor {
	const struct pool_member *members;
	uint16_t number;
};

static bool is_taker(void *context, uint16_t member)
{
	return ((const struct successor *)context)->members[member].takes_new;
}

static bool succeed(void *context, uint16_t member)
{
	struct successor *successor = context;

	successor->number = successor->members[member].number;
	return true;
}

static uint16_t walk_on(struct owners *owners, uint32_t slot)
{
	struct successor successor = {.members = owners->image->members};
	struct placement_visitor visitor = {NULL, is_taker, succeed, &successor};

	if (!owners->takers)
		mark_takers(owners);
	visitor.marks = owners->takers; /* without memory for them it takes longer */
	placement_visit(owners->image->placement, slot, &visitor);
	return successor.number;
}

static uint16_t owner_of(struct owners *owners, uint32_t slot)
{
	const struct pool_member *members = owners->image->members;
	const uint16_t *preferences;

	if (!owners->anybody)
		return 0;
	if (owners->first[slot] != PLACEMENT_NONE && members[owners->first[slot]].takes_new)
		return members[owners->first[slot]].number;
	if (!owners->stored)
		owners->stored = placement_preferences(owners->image->placement);
	if (!owners->stored) {
		owners->failed = true;
		return 0;
	}
	preferences = owners->stored + (size_t)slot * PLACEMENT_STORED_PREFERENCES;
	for (int i = 0; i < PLACEMENT_STORED_PREFERENCES && preferences[i] != PLACEMENT_NONE; i++)
		if (members[preferences[i]].takes_new)
			return members[preferences[i]].number;
	return walk_on(owners, slot);
}

/* Moves ------------------------------------------------------------------------------ */

/* Whether the pool before may have flows. While it migrates they live by its old table, even if no slot of
 * the new one has an owner. */
static bool may_have_flows(const struct pool_image *before)
{
	if (before->table.old_size)
		return true;
	for (uint32_t slot = 0; slot < before->table.size; slot++)
		if (hf_slot_backends(before->words[slot]))
			return true;
	return false;
}

/* How a pool's slots come to their new words. */
struct mover {
	const struct pool_job *job;
	struct pool_image *image;
	const struct pool_image *before; /* whose slots move; NULL: nothing was there */
	bool rebuilt;                    /* before has other slots: all of these move */
	struct shared_words *ret;
};

/* Until when a slot's unremembered flows are where the pool's old table says. */
static uint32_t old_until(const struct pool_image *image, uint32_t since)
{
	return (since > image->table.since ? since : image->table.since) + image->idle;
}

static void note_moving(struct mover *mover, uint32_t at, struct slot slot, bool lives)
{
	struct pool_image *image = mover->image;
	uint32_t now = mover->job->moment->now, ripe = now;

	image->moving++;
	mover->ret->since[at] = slot.since;
	if (!slot_is_ripe(slot, lives, image->idle, now))
		ripe = slot.since + image->idle;
	else if (lives && slot.base != slot.owner && slot.since + image->idle > image->ripened)
		image->ripened = slot.since + image->idle;
	if (image->table.old_size && old_until(image, slot.since) > ripe)
		ripe = old_until(image, slot.since);
	if (ripe > image->settles)
		image->settles = ripe;
	if (!mover->job->image->next || ripe < mover->job->image->next)
		mover->job->image->next = ripe;
}

/*
 * A count proves nothing if it was made for another owner, if it began before the slot was ripe, or if the
 * pool still had an old table: until then a flow that is heard for the first time is remembered at its base.
 * evidence_last() (user/daemon/watch/evidence.h) guarantees that the count began after the last change, and
 * after the packets that missed it.
 */
static bool may_settle(const struct mover *mover, uint32_t at, struct slot slot, struct slot old, bool lives)
{
	const struct moment *moment = mover->job->moment;

	return moment->away && old.moving && slot.owner == old.owner && !mover->image->table.old_size &&
	       !mover->before->table.old_size &&
	       slot_is_ripe(slot, lives, mover->image->idle, moment->counted) &&
	       !moment->away(moment->context, mover->image->number, at);
}

static struct slot slot_move(const struct mover *mover, uint32_t at, uint16_t owner)
{
	const struct pool_image *before = mover->before;
	const uint8_t *states = mover->job->states;
	uint32_t now = mover->job->moment->now;
	struct slot old, slot;

	if (!before)
		return slot_settled(owner);
	if (mover->rebuilt)
		return (struct slot){.owner = owner, .base = owner, .moving = true, .since = now};
	old = slot_read(before->words[at], before->since ? before->since[at] : now);
	slot = old;
	if (old.moving && owner != old.owner && !before->table.old_size &&
	    slot_is_ripe(old, states[old.base] & BACKEND_LIVES, mover->image->idle, now))
		slot = slot_renew(old, states[old.owner] & BACKEND_LIVES ? old.owner : owner, now);
	slot = slot_give(slot, owner, states[old.owner] & BACKEND_LIVES, now);
	if (may_settle(mover, at, slot, old, states[slot.base] & BACKEND_LIVES))
		return slot_settled(owner);
	return slot;
}

static int words_fill(struct mover *mover)
{
	uint32_t size = mover->image->table.size;
	struct owners owners;

	mover->ret->words = malloc(size * sizeof *mover->ret->words);
	mover->ret->since = calloc(size, sizeof *mover->ret->since);
	if (!mover->ret->words || !mover->ret->since)
		return -ENOMEM;
	owners_begin(&owners, mover->image);
	for (uint32_t at = 0; at < size && !owners.failed; at++) {
		struct slot slot = slot_move(mover, at, owner_of(&owners, at));

		mover->ret->words[at] = slot_word(slot);
		if (slot.moving)
			note_moving(mover, at, slot, mover->job->states[slot.base] & BACKEND_LIVES);
	}
	free(owners.takers);
	if (!mover->image->moving) {
		free(mover->ret->since);
		mover->ret->since = NULL;
	}
	return owners.failed ? -ENOMEM : 0;
}

/* The old table of a pool that migrates, until no unremembered flow can be in it. */
static void set_old_table(struct mover *mover)
{
	const struct hf_table *old = mover->before ? &mover->before->table : NULL;
	struct hf_table *table = &mover->image->table;
	uint32_t now = mover->job->moment->now;

	if (!old || (!mover->rebuilt && !old->old_size))
		return;
	if (!mover->rebuilt && now - pool_image_began_last(mover->before) >= mover->image->idle)
		return;
	table->old_size = old->old_size ? old->old_size : old->size;
	table->old_seed = old->old_size ? old->old_seed : old->seed;
	table->old_hash = old->old_size ? old->old_hash : old->hash;
	table->since = mover->rebuilt ? now : old->since;
}

/* Sharing ------------------------------------------------------------------------------ */

static bool same_takers(const struct pool_image *a, const struct pool_image *b)
{
	if (a->shared_placement != b->shared_placement)
		return false;
	for (size_t i = 0; i < placement_members(a->placement); i++)
		if (a->members[i].number != b->members[i].number ||
		    a->members[i].takes_new != b->members[i].takes_new)
			return false;
	return true;
}

static void words_share(struct pool_image *image, const struct pool_image *before)
{
	before->shared_words->references++;
	image->shared_words = before->shared_words;
	image->words = before->words;
	image->since = before->since;
}

static bool words_equal(const struct pool_image *before, const struct shared_words *words)
{
	uint32_t size = before->table.size;

	for (uint32_t at = 0; at < size; at++)
		if (pool_image_word(before, at) != words->words[at])
			return false;
	if (!before->since || !words->since)
		return before->since == words->since;
	for (uint32_t at = 0; at < size; at++)
		if (hf_slot_is_moving(words->words[at]) && before->since[at] != words->since[at])
			return false;
	return true;
}

static int words_make(struct mover *mover)
{
	struct pool_image *image = mover->image;
	int error;

	mover->ret = calloc(1, sizeof *mover->ret);
	if (!mover->ret)
		return -ENOMEM;
	mover->ret->references = 1;
	error = words_fill(mover);
	if (error < 0) {
		shared_words_drop(mover->ret);
		return error;
	}
	if (mover->before && !mover->rebuilt && mover->before->shared_words &&
	    words_equal(mover->before, mover->ret)) {
		shared_words_drop(mover->ret);
		words_share(image, mover->before);
		return 0;
	}
	image->shared_words = mover->ret;
	image->words = mover->ret->words;
	image->since = mover->ret->since;
	return 0;
}

int shared_words_get(const struct pool_job *job, struct pool_image *image)
{
	const struct pool_image *before = job->before;
	struct mover mover = {.job = job, .image = image};

	if (before && before->shared_words && pool_image_same_hash(image, before) && !before->moving &&
	    !before->table.old_size && same_takers(image, before)) {
		words_share(image, before);
		return 0;
	}
	/* Where no service leads there are no flows to mind. */
	if (before && image->idle && may_have_flows(before)) {
		mover.before = before;
		mover.rebuilt = !pool_image_same_hash(image, before);
		set_old_table(&mover);
	}
	return words_make(&mover);
}
