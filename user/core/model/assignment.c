/* SPDX-License-Identifier: Apache-2.0 */
#include "assignment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pool_placement.h"

/* Checks --------------------------------------------------------------------------- */

static int refuse_owner(const struct slot_range *range, const char *why, struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "slots %" PRIu32 "-%" PRIu32 " are given to %s, %s", range->first,
	       range->last, range->member, why);
	refusal_right(refusal, "every slot of the table given to a backend of the pool that has weight");
	return -EINVAL;
}

static int refuse_gap(const struct pool *pool, uint32_t first, uint32_t last, struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "slots %" PRIu32 "-%" PRIu32 " have no owner", first, last);
	refusal_right(refusal, "a backend for each of slots 0 to %" PRIu32 ", or " SLOT_RANGES_EVEN,
		      pool->slots - 1);
	return -EINVAL;
}

static int check_range(const struct pool *pool, const struct slot_range *range, uint32_t next,
		       struct refusal *refusal)
{
	const struct backend *backend = pool_backend(pool, range->member);

	if (!backend)
		return refuse_owner(range, "which is not a backend of the pool", refusal);
	if (backend->removing)
		return refuse_owner(range, "which is leaving", refusal);
	if (!backend->weight)
		return refuse_owner(range, "which has no weight", refusal);
	if (range->last >= pool->slots) {
		refuse(refusal, -EINVAL, "slot %" PRIu32 " is not in a table of %" PRIu32, range->last,
		       pool->slots);
		refusal_right(refusal, "slots 0 to %" PRIu32, pool->slots - 1);
		return -EINVAL;
	}
	if (range->first == next)
		return 0;
	return refuse_gap(pool, next, range->first - 1, refusal);
}

int assignment_check(const struct pool *pool, struct refusal *refusal)
{
	struct slot_range *ranges;
	uint32_t next = 0;
	size_t count;
	int error;

	if (!pool->options.ranges)
		return 0;
	error = slot_ranges_parse(pool->options.ranges, &ranges, &count);
	if (error < 0)
		return error;
	for (size_t i = 0; error == 0 && i < count; i++) {
		error = check_range(pool, &ranges[i], next, refusal);
		next = ranges[i].last + 1;
	}
	if (error == 0 && next < pool->slots)
		error = refuse_gap(pool, next, pool->slots - 1, refusal);
	free(ranges);
	return error;
}

/* How many slots a backend owns, and the first and last of them. */
static uint32_t count_owned(const struct pool *pool, const char *backend, uint32_t *ret_first,
			    uint32_t *ret_last)
{
	struct slot_range *ranges;
	uint32_t owned = 0;
	size_t count;

	if (!pool->options.ranges || slot_ranges_parse(pool->options.ranges, &ranges, &count) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(ranges[i].member, backend))
			continue;
		*ret_first = owned ? *ret_first : ranges[i].first;
		*ret_last = ranges[i].last;
		owned += ranges[i].last - ranges[i].first + 1;
	}
	free(ranges);
	return owned;
}

int assignment_refuse_owner(const struct pool *pool, const struct backend *backend, struct refusal *refusal)
{
	uint32_t first = 0, last = 0, owned = count_owned(pool, backend->name, &first, &last);

	if (!owned)
		return 0;
	refuse(refusal, -EBUSY, "backend %s still owns %" PRIu32 " slots", backend->name, owned);
	refusal_where(refusal, "pool %s", pool->name);
	refusal_right(refusal,
		      "`holdfast pool slots move %s %" PRIu32 "-%" PRIu32 " BACKEND --owner %s` first, or "
		      "`holdfast backend drain %s/%s`, whose slots go to those who serve them meanwhile",
		      pool->name, first, last, backend->name, pool->name, backend->name);
	return -EBUSY;
}

/* Changes -------------------------------------------------------------------------- */

/* Owners are indices of backends. */
static int write_owners(struct pool *pool, const uint16_t *owners)
{
	struct slot_range *ranges = calloc(pool->slots, sizeof *ranges);
	size_t count = 0;
	char *text;

	if (!ranges)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < pool->slots; slot++) {
		const char *member = pool->backends[owners[slot]].name;

		if (count && !strcmp(ranges[count - 1].member, member))
			ranges[count - 1].last = slot;
		else
			ranges[count++] = (struct slot_range){slot, slot, member};
	}
	text = slot_ranges_text(ranges, count);
	free(ranges);
	if (!text)
		return -ENOMEM;
	free(pool->options.ranges);
	pool->options.ranges = text;
	return 0;
}

static bool has_weight(const struct pool *pool)
{
	for (size_t i = 0; i < pool->backend_count; i++)
		if (placed_weight(&pool->backends[i]))
			return true;
	return false;
}

/* Backends are in the order of their names, as a placement numbers its members. */
static int fix_pool(const struct model *model, struct pool *pool, struct refusal *refusal)
{
	struct placement *placement;
	int error = pool_placement(model, pool, NULL, &placement, refusal);

	if (error < 0)
		return error;
	error = write_owners(pool, placement_owners(placement));
	placement_free(placement);
	return error;
}

int assignment_fix(struct model *model)
{
	for (size_t i = 0; i < model->pool_count; i++) {
		struct pool *pool = &model->pools[i];

		if (pool->scheme != PLACEMENT_SLOTS || pool->options.ranges || !has_weight(pool) ||
		    !pool_is_served(model, pool->name))
			continue;
		/* What cannot be placed is refused by those who check the model, and better. */
		if (fix_pool(model, pool, NULL) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

int assignment_move(const struct model *model, struct pool *pool, const struct slot_range *range,
		    const struct backend *from, struct refusal *refusal)
{
	uint16_t *owners = calloc(pool->slots, sizeof *owners);
	uint16_t to = (uint16_t)(pool_backend(pool, range->member) - pool->backends);
	struct placement *placement = NULL;
	int error = owners ? pool_placement(model, pool, NULL, &placement, refusal) : -ENOMEM;

	if (error == 0) {
		memcpy(owners, placement_owners(placement), pool->slots * sizeof *owners);
		for (uint32_t slot = range->first; slot <= range->last; slot++)
			if (!from || owners[slot] == from - pool->backends)
				owners[slot] = to;
		for (uint32_t slot = 0; slot < pool->slots; slot++) /* nobody had weight: nobody owns */
			owners[slot] = owners[slot] == PLACEMENT_NONE ? to : owners[slot];
		error = write_owners(pool, owners);
	}
	placement_free(placement);
	free(owners);
	return error;
}

/* Passing on ----------------------------------------------------------------------- */

/* Finds the backend of `after` that a slot prefers: the first in service, or else the first with weight. */
struct inheritance {
	const struct placement *placement;
	const struct pool *after;
	const struct backend *heir;
};

static bool may_inherit(void *context, uint16_t member)
{
	const struct inheritance *search = context;
	const char *name = placement_member_name(search->placement, member);
	const struct backend *backend = pool_backend(search->after, name);

	return backend && placed_weight(backend) && (backend->admin == ADMIN_ACTIVE || !search->heir);
}

static bool inherit(void *context, uint16_t member)
{
	struct inheritance *search = context;

	search->heir = pool_backend(search->after, placement_member_name(search->placement, member));
	return search->heir->admin == ADMIN_ACTIVE;
}

static const struct backend *find_heir(const struct placement *placement, uint32_t slot,
				       const struct pool *after)
{
	struct inheritance search = {.placement = placement, .after = after};
	const struct placement_visitor visitor = {NULL, may_inherit, inherit, &search};

	placement_visit(placement, slot, &visitor);
	for (size_t i = 0; !search.heir && i < after->backend_count; i++)
		search.heir = placed_weight(&after->backends[i]) ? &after->backends[i] : NULL;
	return search.heir;
}

static int pass_slots(const struct placement *placement, struct pool *after)
{
	uint16_t *owners = calloc(after->slots, sizeof *owners);
	int error = owners ? 0 : -ENOMEM;

	for (uint32_t slot = 0; error == 0 && slot < after->slots; slot++) {
		uint16_t owner = placement_owners(placement)[slot];
		const struct backend *backend = NULL;

		if (owner != PLACEMENT_NONE)
			backend = pool_backend(after, placement_member_name(placement, owner));
		if (!backend || backend->removing)
			backend = find_heir(placement, slot, after);
		owners[slot] = (uint16_t)(backend - after->backends);
	}
	if (error == 0)
		error = write_owners(after, owners);
	free(owners);
	return error;
}

static int check_leaving(const struct pool *before, const struct pool *after, struct refusal *refusal)
{
	for (size_t i = 0; i < before->backend_count; i++) {
		const struct backend *backend = &before->backends[i];
		const struct backend *still = pool_backend(after, backend->name);

		if (backend->admin == ADMIN_ACTIVE && (!still || still->removing) &&
		    assignment_refuse_owner(before, backend, refusal) < 0)
			return -EBUSY;
	}
	return 0;
}

int assignment_pass_on(const struct model *model, const struct pool *before, struct pool *after, bool forced,
		       struct refusal *refusal)
{
	struct placement *placement;
	int error = forced ? 0 : check_leaving(before, after, refusal);

	if (error < 0 || !before->options.ranges)
		return error;
	if (!has_weight(after)) {
		free(after->options.ranges);
		after->options.ranges = NULL;
		return 0;
	}
	error = pool_placement(model, before, NULL, &placement, refusal);
	if (error < 0)
		return error;
	error = pass_slots(placement, after);
	placement_free(placement);
	return error;
}

static bool anybody_leaves(const struct pool *pool)
{
	for (size_t i = 0; i < pool_members(pool); i++)
		if (pool->backends[i].removing)
			return true;
	return false;
}

int assignment_leave(const struct model *model, struct pool *pool, struct refusal *refusal)
{
	size_t size = pool->backend_count * sizeof *pool->backends;
	struct pool before = *pool;
	int error;

	if (!pool->options.ranges || !anybody_leaves(pool))
		return 0;
	before.backends = malloc(size);
	before.options.ranges = strdup(pool->options.ranges);
	error = before.backends && before.options.ranges ? 0 : -ENOMEM;
	if (error == 0) {
		memcpy(before.backends, pool->backends, size);
		for (size_t i = 0; i < pool_members(pool); i++)
			before.backends[i].removing = false;
		error = assignment_pass_on(model, &before, pool, true, refusal);
	}
	free(before.backends);
	free(before.options.ranges);
	return error;
}
