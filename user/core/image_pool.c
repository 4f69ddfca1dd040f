/* SPDX-License-Identifier: Apache-2.0 */
/* One pool's part of an image: its members' states, its table's words. */
#include "image_pool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <holdfast/flowhash.h>
#include <holdfast/outer.h>
#include <stdlib.h>
#include <string.h>

/* Words are shared between images; lent ones belong to whoever lent them. */
struct shared_words {
	unsigned int references;
	uint64_t *own; /* NULL: lent */
};

/* Backends ------------------------------------------------------------------------ */

static bool is_down(const struct backend *backend, enum health_state health)
{
	if (backend->health == HEALTH_AUTO)
		return health == HEALTH_DOWN;
	return backend->health == HEALTH_FORCED_DOWN;
}

/* A prefix over which the flow's hash spreads: its host bits, of an address's last word. */
static void fill_source(struct backend_image *image, const struct prefix *source)
{
	struct hf_backend *entry = &image->entry;
	unsigned int most = source->address.family == 4 ? 32 : 128;
	unsigned int host = most - source->bits;

	image->source_from_route = !source->address.family;
	memcpy(entry->src, source->address.bytes, sizeof entry->src);
	if (source->address.family && host)
		entry->src_mask = htonl(host >= 32 ? UINT32_MAX : (1U << host) - 1);
}

void backend_image_fill(struct backend_image *image, const struct ledger *ledger, const struct pool *pool,
			const struct backend *backend, enum health_state health)
{
	struct hf_backend *entry = &image->entry;
	bool down = is_down(backend, health);

	image->number = ledger_backend(ledger, pool->name, backend);
	image->address = backend->address;
	memcpy(entry->dst, backend->address.bytes, sizeof entry->dst);
	entry->family = backend->address.family;
	entry->encap = pool->encap;
	entry->gue_port = pool->encap == HF_ENCAP_GUE ? htons(pool->gue_port) : 0;
	entry->ordinal = ledger_ordinal(ledger, image->number);
	fill_source(image, backend->address.family == 4 ? &pool->source4 : &pool->source6);
	if (entry->family == HF_IPV4)
		entry->csum = hf_outer_csum(entry->src[0], entry->dst[0]);
	if (backend->admin == ADMIN_ACTIVE && !down && backend->weight)
		entry->flags |= HF_BACKEND_TAKES_NEW;
	if (backend->admin != ADMIN_DISABLED && !down)
		entry->flags |= HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP;
}

/* Members ------------------------------------------------------------------------- */

/* Backends and members are both in the order of their names. */
static int fill_members(struct pool_image *image, const struct pool *pool, const struct ledger *ledger,
			const struct image *whole)
{
	image->members = calloc(pool->backend_count + 1, sizeof *image->members);
	if (!image->members)
		return -ENOMEM;
	for (size_t i = 0; i < pool->backend_count; i++) {
		uint16_t number = ledger_backend(ledger, pool->name, &pool->backends[i]);
		uint8_t flags = image_backend(whole, number)->entry.flags;

		image->members[i] = (struct pool_member){
			.number = number,
			.takes_new = flags & HF_BACKEND_TAKES_NEW,
			.serves = flags & (HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP),
			.weight = pool->backends[i].weight};
	}
	return 0;
}

static bool same_members(const struct pool_image *a, const struct pool_image *b)
{
	if (a->shared_placement != b->shared_placement || !b->shared_words)
		return false;
	for (size_t i = 0; i < placement_members(a->placement); i++)
		if (a->members[i].number != b->members[i].number ||
		    a->members[i].takes_new != b->members[i].takes_new ||
		    a->members[i].serves != b->members[i].serves)
			return false;
	return true;
}

/* Words ---------------------------------------------------------------------------- */

static bool anybody_able(const struct pool_image *image)
{
	for (size_t i = 0; i < placement_members(image->placement); i++)
		if (image->members[i].takes_new)
			return true;
	return false;
}

/* Past the stored preferences the walk goes on, first a little way, then to its end. */
static uint16_t walk_on(const struct pool_image *image, uint32_t slot, uint16_t *room)
{
	size_t members = placement_members(image->placement), count = 0, seen = 0;

	for (size_t most = 16; seen < members; most *= 8) {
		count = placement_walk(image->placement, slot, room, most < members ? most : members);
		for (; seen < count; seen++)
			if (image->members[room[seen]].takes_new)
				return image->members[room[seen]].number;
		if (count < most)
			break;
	}
	return 0;
}

static uint16_t first_able(const struct pool_image *image, const uint16_t *preferences, uint32_t slot,
			   uint16_t *room)
{
	for (int i = 0; i < PLACEMENT_STORED_PREFERENCES && preferences[i] != PLACEMENT_NONE; i++)
		if (image->members[preferences[i]].takes_new)
			return image->members[preferences[i]].number;
	return walk_on(image, slot, room);
}

static uint64_t settled_word(uint16_t owner)
{
	return owner | (uint64_t)owner << HF_SLOT_BASE_SHIFT;
}

static int fill_words(const struct pool_image *image, uint64_t *words)
{
	const uint16_t *owners = placement_owners(image->placement), *preferences = NULL;
	uint16_t *room;

	if (!anybody_able(image)) {
		memset(words, 0, image->table.size * sizeof *words);
		return 0;
	}
	room = malloc((placement_members(image->placement) + 1) * sizeof *room);
	if (!room)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < image->table.size; slot++) {
		const struct pool_member *owner = &image->members[owners[slot]];

		if (owner->takes_new) {
			words[slot] = settled_word(owner->number);
			continue;
		}
		if (!preferences)
			preferences = placement_preferences(image->placement);
		if (!preferences) {
			free(room);
			return -ENOMEM;
		}
		words[slot] = settled_word(first_able(
			image, preferences + PLACEMENT_STORED_PREFERENCES * (size_t)slot, slot, room));
	}
	free(room);
	return 0;
}

static void drop_words(struct shared_words *shared)
{
	if (!shared || --shared->references)
		return;
	free(shared->own);
	free(shared);
}

static int get_words(struct pool_image *image, const struct pool_image *before)
{
	struct shared_words *shared;

	if (before && same_members(image, before)) {
		before->shared_words->references++;
		image->shared_words = before->shared_words;
		image->words = before->words;
		return 0;
	}
	shared = calloc(1, sizeof *shared);
	if (!shared)
		return -ENOMEM;
	shared->references = 1;
	image->shared_words = shared;
	shared->own = malloc(image->table.size * sizeof *shared->own);
	image->words = shared->own;
	return shared->own ? fill_words(image, shared->own) : -ENOMEM;
}

void pool_image_lend(struct pool_image *image, const uint64_t *words)
{
	struct shared_words *shared = calloc(1, sizeof *shared);

	if (!shared) /* the image's own will do */
		return;
	shared->references = 1;
	if (image->shared_words)
		drop_words(image->shared_words);
	else
		free((void *)image->words);
	image->shared_words = shared;
	image->words = words;
}

/* Whole ---------------------------------------------------------------------------- */

static uint64_t pool_digest(const struct pool_image *image)
{
	const uint64_t parts[] = {shared_placement_digest(image->shared_placement), image->table.hash,
				  HF_FLOWHASH_VERSION};

	return hf_xxh64(parts, sizeof parts, 0);
}

int pool_image_build(struct pool_image *ret, const struct model *model, const struct pool *pool,
		     const struct ledger *ledger, const struct image *image, const struct pool_image *before,
		     struct refusal *refusal)
{
	int error;

	strcpy(ret->name, pool->name);
	ret->number = ledger_pool(ledger, pool->name);
	ret->table = (struct hf_table){
		.size = pool->slots, .seed = pool_seed(model, pool), .pool = ret->number, .hash = pool->hash};
	error = shared_placement_get(model, pool, before, &ret->shared_placement, refusal);
	if (error < 0) {
		refusal_where(refusal, "pool %s", pool->name);
		return error;
	}
	ret->placement = shared_placement_placement(ret->shared_placement);
	ret->digest = pool_digest(ret);
	error = fill_members(ret, pool, ledger, image);
	if (error == 0)
		error = get_words(ret, before);
	/* The walk finds them again; kept, they would be most of what an instance of many pools holds. */
	placement_forget_preferences(ret->placement);
	if (error < 0)
		pool_image_release(ret);
	return error;
}

void pool_image_release(struct pool_image *image)
{
	shared_placement_drop(image->shared_placement);
	if (image->shared_words)
		drop_words(image->shared_words);
	else
		free((void *)image->words);
	if (!image->shared_words)
		free((void *)image->hops); /* read back */
	free(image->members);
}
