/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include <errno.h>

#include "core/image/moves.h"
#include "change.h"
#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "waiting.h"

static void later(uint32_t *moment, uint32_t than)
{
	if (than > *moment)
		*moment = than;
}

/*
 * When the last of the moving slots whose base this is gets ripe. The count of slots knows when that is at
 * the earliest; the data plane may have put it off since.
 */
static uint32_t based_until(const struct pool_image *image, uint16_t number, const struct slot_count *slots)
{
	uint32_t until = slots->until;

	if (!slots->based || until > clock_monotonic() / 1000)
		return until;
	for (uint32_t at = 0; at < image->table.size; at++) {
		struct slot slot = slot_read(image->words[at], image->since ? image->since[at] : 0);

		if (slot.moving && slot.base == number)
			later(&until, slot.since + image->idle);
	}
	return until;
}

/*
 * The moment (seconds of CLOCK_MONOTONIC) from which on no old flow of the backend can be heard for the first
 * time. Old flows that were never seen live at a moving slot's base until the slot is ripe, and at the old
 * table's base while the pool migrates. After a reboot none is known, and a flow may be silent for as long as
 * the services allow.
 */
static uint32_t unseen_until(struct instance *instance, const struct pool_image *image, uint16_t number,
			     const struct slot_count *slots)
{
	const struct backend_image *entry = image_backend(instance->image, number);
	uint32_t until = 0, forgotten = dataplane_forgotten(instance->dataplane);

	/* A deadline has cut it: it serves no flow any more. */
	if (!image || !entry || !(entry->entry.flags & (HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP)))
		return 0;
	later(&until, based_until(image, number, slots));
	if (image->table.old_size && dataplane_old_base(instance->dataplane, image->number, number))
		later(&until, pool_image_began_last(image) + image->idle);
	if (forgotten)
		later(&until, forgotten + image->idle);
	return until;
}

/* evidence_take() guarantees that the count would show every flow that the backend may still have. */
static bool is_drained(struct instance *instance, const struct pool *pool, uint16_t number,
		       const struct slot_count *slots)
{
	const struct pool_image *image = image_pool(instance->image, pool->name);
	const struct flow_census *count;

	if (!number || slots->owned)
		return false;
	count = evidence_take(&instance->evidence, unseen_until(instance, image, number, slots));
	return count && !count->backends[number].opening && !count->backends[number].established;
}

static void set_flows(struct instance *instance, uint16_t number, struct drain_state *ret)
{
	const struct flow_census *census = census_take(&instance->census, CENSUS_SHOWN);
	const struct backend_flows *flows = census && number ? &census->backends[number] : NULL;

	ret->heard = ret->counted = -1;
	if (!flows)
		return;
	ret->open = flows->opening + flows->established;
	ret->closing = flows->closing;
	if (flows->heard)
		ret->heard = clock_monotonic() / 1000 - flows->heard;
	if (evidence_last(&instance->evidence))
		ret->counted = clock_monotonic() - instance->census.began;
}

void drain_state(struct instance *instance, const struct pool *pool, const struct backend *backend,
		 struct drain_state *ret)
{
	uint16_t number = ledger_backend(instance->ledger, pool->name, backend);
	struct drain_state state = {
		.slots = slot_counts_backend(&instance->slot_counts, instance->image, number)};

	/* A drained backend stays drained while it owns no slot: no flow can come to it. */
	if (backend->admin != ADMIN_ACTIVE)
		state.drained = instance->drained[number] || is_drained(instance, pool, number, &state.slots);
	set_flows(instance, number, &state);
	*ret = state;
}

static void tell_deadline(const struct pool *pool, const char *backend, unsigned int open)
{
	char one[96];
	const struct common_event event = {
		LOG_LEVEL_NOTICE, "drain",
		backend,          one,
		pool->name,       "are past their deadline, and their remembered flows are cut"};

	snprintf(one, sizeof one, "the deadline has passed: %u remembered flows are cut", open);
	event_gather(&event, backend);
}

/* A word for each end, once: what was told is remembered by number. */
static void tell_drained(struct instance *instance, const struct pool *pool, const struct backend *backend,
			 const struct drain_state *state, int64_t now)
{
	uint16_t number = ledger_backend(instance->ledger, pool->name, backend);
	char subject[NAME_SIZE + BACKEND_TEXT], label[BACKEND_TEXT];
	const struct common_event drained = {LOG_LEVEL_NOTICE, "drain",
					     subject,          "drained: it can be switched off",
					     pool->name,       "are drained: they can be switched off"};

	snprintf(subject, sizeof subject, "%s/%s", pool->name, backend_label(backend, label));
	if (backend->deadline > instance->drains_seen && backend->deadline <= now)
		tell_deadline(pool, subject, state->open);
	if (state->drained && !instance->drained[number])
		event_gather(&drained, subject);
	instance->drained[number] = state->drained;
}

/* Backends whose drain is over, and which leave. */
struct leavers {
	const struct instance *instance;
	size_t count;
	char first[NAME_SIZE + BACKEND_TEXT];
};

static bool drain_is_over(void *context, const struct pool *pool, const struct backend *backend)
{
	const struct instance *instance = ((const struct leavers *)context)->instance;

	return instance->drained[ledger_backend(instance->ledger, pool->name, backend)];
}

static void watch_drain(struct instance *instance, const struct pool *pool, const struct backend *backend,
			int64_t now, struct leavers *leavers)
{
	char label[BACKEND_TEXT];
	struct drain_state state;

	if (backend->admin != ADMIN_DRAINING) {
		instance->drained[ledger_backend(instance->ledger, pool->name, backend)] = false;
		return;
	}
	drain_state(instance, pool, backend, &state);
	tell_drained(instance, pool, backend, &state, now);
	if (backend->removing && state.drained && !leavers->count++)
		snprintf(leavers->first, sizeof leavers->first, "%s/%s", pool->name,
			 backend_label(backend, label));
}

/* All backends that are drained by now leave in one generation: one file may drop thousands. */
static void leavers_leave(struct instance *instance, struct leavers *leavers)
{
	char cause[256];
	const struct change change = {.author = "holdfastd",
				      .cause = cause,
				      .force = true,
				      .limit = GUARD_NO_LIMIT,
				      .missing_ok = true};
	struct refusal refusal = {0};
	json_t *answer = NULL;
	struct model *next;
	int error;

	if (leavers->count == 1)
		snprintf(cause, sizeof cause, "drained %s", leavers->first);
	else
		snprintf(cause, sizeof cause, "drained %s and %zu more", leavers->first, leavers->count - 1);
	error = operation_leave(instance->model, drain_is_over, leavers, steady_clock_now(&instance->clock),
				&next, &refusal);
	if (error == -EAGAIN) /* install_plan() sees to it itself */
		waiting_prepare(instance->waiting, instance->model, NULL, NULL);
	if (!error)
		error = change_model(instance, next, &change, &answer, &refusal);
	if (error && error != -EAGAIN && error != -ENOLCK) /* then it is tried again in a second */
		log_refusal(LOG_LEVEL_WARNING, cause, &refusal);
	json_decref(answer);
}

void drain_tick(struct instance *instance)
{
	struct leavers leavers = {.instance = instance};
	int64_t now = steady_clock_now(&instance->clock);

	for (size_t i = 0; i < instance->model->pool_count; i++) {
		const struct pool *pool = &instance->model->pools[i];

		for (size_t j = 0; j < pool->backend_count; j++)
			watch_drain(instance, pool, &pool->backends[j], now, &leavers);
	}
	instance->drains_seen = now;
	if (leavers.count)
		leavers_leave(instance, &leavers);
}
