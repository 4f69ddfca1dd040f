/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <errno.h>
#include <holdfast/slot.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image_pool.h"

static const struct image nothing;

/* Pools ------------------------------------------------------------------------------- */

/* By backend number: whether the pool has it before and after, in one state and with one weight. */
static bool *find_constant(const struct pool_image *before, const struct pool_image *after)
{
	bool *constant = calloc(HF_MAX_BACKENDS, sizeof *constant);

	for (size_t i = 0; constant && before->placement && i < placement_members(after->placement); i++) {
		const char *name = placement_member_name(after->placement, (uint16_t)i);
		uint16_t old = placement_member_number(before->placement, name);

		if (old != PLACEMENT_NONE && before->members[old].number == after->members[i].number &&
		    before->members[old].weight == after->members[i].weight &&
		    before->members[old].takes_new == after->members[i].takes_new)
			constant[after->members[i].number] = true;
	}
	return constant;
}

static int count_moved(const struct pool_image *before, const struct pool_image *after, struct plan_pool *ret)
{
	bool *constant = find_constant(before, after);

	if (!constant)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < after->table.size; slot++) {
		uint16_t old = hf_slot_owner(before->words[slot]), owner = hf_slot_owner(after->words[slot]);

		if (old == owner || !old) /* nobody had it: no flow can leave */
			continue;
		ret->moved++;
		ret->needless += constant[old] && constant[owner];
	}
	free(constant);
	return 0;
}

static bool pools_same_table(const struct pool_image *a, const struct pool_image *b)
{
	return a->number == b->number && pool_image_same_hash(a, b) &&
	       a->table.old_size == b->table.old_size && a->table.old_seed == b->table.old_seed &&
	       a->table.old_hash == b->table.old_hash;
}

/* Words that are lent have the index of their hops in them, which says nothing. */
static bool pools_same_words(const struct pool_image *a, const struct pool_image *b)
{
	for (uint32_t slot = 0; a->words != b->words && slot < a->table.size; slot++)
		if (pool_image_word(a, slot) != pool_image_word(b, slot))
			return false;
	return true;
}

/* Slots that name no backend have no record: read back, they look like those of a pool without hops. */
static bool pools_same_hops(const struct pool_image *a, const struct pool_image *b)
{
	static const struct hf_hops none;

	for (uint32_t slot = 0; a->hops != b->hops && slot < a->table.size; slot++)
		if (memcmp(a->hops ? &a->hops[slot] : &none, b->hops ? &b->hops[slot] : &none, sizeof none) !=
		    0)
			return false;
	return true;
}

static int plan_changed_pool(struct plan *plan, const struct pool_image *before,
			     const struct pool_image *after)
{
	struct plan_pool *pool = &plan->pools[plan->pool_count];

	if (pools_same_table(before, after) && pools_same_words(before, after) &&
	    pools_same_hops(before, after))
		return 0;
	*pool = (struct plan_pool){
		.change = PLAN_CHANGE, .number = after->number, .slots = after->table.size, .image = after};
	strcpy(pool->name, after->name);
	plan->pool_count++;
	plan->slots_needed += after->table.size;
	pool->rebuilt = !pool_image_same_hash(before, after);
	if (!pool->rebuilt)
		return count_moved(before, after, pool);
	pool->moved = pool->slots;
	return 0;
}

static void plan_new_pool(struct plan *plan, const struct pool_image *after)
{
	struct plan_pool *pool = &plan->pools[plan->pool_count++];

	*pool = (struct plan_pool){
		.change = PLAN_ADD, .number = after->number, .slots = after->table.size, .image = after};
	strcpy(pool->name, after->name);
	plan->slots_needed += after->table.size;
}

static void plan_gone_pool(struct plan *plan, const struct pool_image *before)
{
	struct plan_pool *pool = &plan->pools[plan->pool_count++];

	*pool = (struct plan_pool){
		.change = PLAN_REMOVE, .number = before->number, .slots = before->table.size};
	strcpy(pool->name, before->name);
}

static int plan_pools(struct plan *plan, const struct image *before, const struct image *after)
{
	int error = 0;

	plan->pools = calloc(before->pool_count + after->pool_count + 1, sizeof *plan->pools);
	if (!plan->pools)
		return -ENOMEM;
	for (size_t i = 0; error == 0 && i < after->pool_count; i++) {
		const struct pool_image *old = image_pool_numbered(before, after->pools[i].number);

		if (old)
			error = plan_changed_pool(plan, old, &after->pools[i]);
		else
			plan_new_pool(plan, &after->pools[i]);
	}
	for (size_t i = 0; error == 0 && i < before->pool_count; i++)
		if (!image_pool_numbered(after, before->pools[i].number))
			plan_gone_pool(plan, &before->pools[i]);
	return error;
}

/* Backends ---------------------------------------------------------------------------- */

/* Next hop and MTU are found by whoever loads an entry, the source too where the route has to tell it. */
static bool same_entry(const struct backend_image *old, const struct backend_image *new)
{
	struct hf_backend a = old->entry, b = new->entry;

	a.next_hop = b.next_hop = 0;
	a.mtu = b.mtu = 0;
	if (new->source_from_route && !a.src_mask) {
		memcpy(a.src, b.src, sizeof a.src);
		a.csum = b.csum;
	}
	return memcmp(&a, &b, sizeof a) == 0;
}

static int plan_backends(struct plan *plan, const struct image *before, const struct image *after)
{
	size_t i = 0, j = 0;

	plan->backends = calloc(before->backend_count + after->backend_count + 1, sizeof *plan->backends);
	if (!plan->backends)
		return -ENOMEM;
	while (i < before->backend_count || j < after->backend_count) {
		const struct backend_image *old = i < before->backend_count ? &before->backends[i] : NULL;
		const struct backend_image *new = j < after->backend_count ? &after->backends[j] : NULL;
		struct plan_backend *change = &plan->backends[plan->backend_count];

		if (!new || (old && old->number < new->number)) {
			*change = (struct plan_backend){PLAN_REMOVE, old->number, NULL};
			i++;
		} else if (!old || new->number < old->number) {
			*change = (struct plan_backend){PLAN_ADD, new->number, new};
			j++;
		} else {
			*change = (struct plan_backend){PLAN_CHANGE, new->number, new};
			i++;
			j++;
			if (same_entry(old, new))
				continue;
		}
		plan->backend_count++;
	}
	return 0;
}

static bool same_directory(const struct directory *a, const struct directory *b)
{
	if (!a->entries || !b->entries)
		return a->entries == b->entries;
	return a->log2 == b->log2 && a->seed == b->seed && a->lengths == b->lengths &&
	       memcmp(a->entries, b->entries, (sizeof *a->entries) << a->log2) == 0;
}

int plan_make(const struct image *before, const struct image *after, struct plan **ret)
{
	struct plan *plan = calloc(1, sizeof *plan);
	int error;

	if (!plan)
		return -ENOMEM;
	if (!before)
		before = &nothing;
	error = plan_pools(plan, before, after);
	if (error == 0)
		error = plan_backends(plan, before, after);
	if (error < 0) {
		plan_free(plan);
		return error;
	}
	plan->services = !same_directory(&before->directory, &after->directory);
	plan->directory = &after->directory;
	*ret = plan;
	return 0;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	free(plan->pools);
	free(plan->backends);
	free(plan);
}

bool plan_empty(const struct plan *plan)
{
	return !plan->pool_count && !plan->backend_count && !plan->services;
}

int plan_guard(const struct plan *plan, uint32_t percent, struct refusal *refusal)
{
	for (size_t i = 0; i < plan->pool_count; i++) {
		const struct plan_pool *pool = &plan->pools[i];

		if (pool->change != PLAN_CHANGE ||
		    (uint64_t)pool->moved * 100 <= (uint64_t)pool->slots * percent)
			continue;
		refuse(refusal, -EPERM,
		       "%s moves %.1f%% of its slots, and with them as many of its new flows",
		       pool->rebuilt ? "another table size, seed or hash" : "this",
		       100 * plan_pool_share(pool));
		refusal_where(refusal, "pool %s", pool->name);
		refusal_right(refusal, "--force, or smaller steps: move_limit is %" PRIu32 "%%", percent);
		refusal_kind(refusal, "move-limit");
		return -EPERM;
	}
	return 0;
}

/* JSON -------------------------------------------------------------------------------- */

static const char *change_name(enum plan_change change)
{
	return change == PLAN_ADD ? "add" : change == PLAN_REMOVE ? "remove" : "change";
}

double plan_pool_share(const struct plan_pool *pool)
{
	return pool->slots ? (double)pool->moved / pool->slots : 0;
}

static json_t *plan_pool_json(const struct plan_pool *pool)
{
	return json_pack("{ss ss sI sI sf sI sb}", "name", pool->name, "change", change_name(pool->change),
			 "slots", (json_int_t)pool->slots, "moved", (json_int_t)pool->moved, "share",
			 plan_pool_share(pool), "needless", (json_int_t)pool->needless, "rebuilt",
			 pool->rebuilt);
}

json_t *plan_to_json(const struct plan *plan)
{
	json_t *pools = json_array();
	json_int_t changes[3] = {0};

	for (size_t i = 0; i < plan->pool_count; i++)
		json_array_append_new(pools, plan_pool_json(&plan->pools[i]));
	for (size_t i = 0; i < plan->backend_count; i++)
		changes[plan->backends[i].change]++;
	return json_pack("{so s{sI sI sI} sb}", "pools", pools, "backends", "added", changes[PLAN_ADD],
			 "changed", changes[PLAN_CHANGE], "removed", changes[PLAN_REMOVE], "services",
			 plan->services);
}
