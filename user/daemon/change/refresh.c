/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "drain.h"
#include "daemon/base/event_log.h"
#include "preparation.h"

enum { RETRY = 10 * 1000, AGAIN = 2 * 1000, RELEASE = 60 * 1000 /* ms */ };

/* Images --------------------------------------------------------------------------- */

static int load_image(struct instance *instance, struct image *image, struct refusal *refusal)
{
	struct plan *plan = NULL;
	int error = next_hops_follow(instance->next_hops, image);

	if (error)
		return error;
	next_hops_fill(instance->next_hops, image);
	error = plan_make(instance->image, image, &plan);
	if (!error && !plan_empty(plan))
		error = dataplane_apply(instance->dataplane, plan, instance->generation.number, refusal);
	if (error)
		instance_lend_words(instance);
	plan_free(plan);
	return error;
}

static uint32_t count_moving(const struct image *image)
{
	uint32_t moving = 0;

	for (size_t i = 0; i < image->pool_count; i++)
		moving += image->pools[i].moving;
	return moving;
}

static uint32_t last_ripened(const struct image *image)
{
	uint32_t last = 0;

	for (size_t i = 0; i < image->pool_count; i++)
		if (image->pools[i].ripened > last)
			last = image->pools[i].ripened;
	return last;
}

static void take_over(struct instance *instance, struct image *image)
{
	struct image *old = instance->image;

	/* may_settle() guarantees it, by what instance_moment() tells it. */
	if (count_moving(old) && !count_moving(image))
		event_note(LOG_LEVEL_NOTICE, "settled", "", "every slot is settled");
	instance->image = image;
	instance_loaded(instance);
	image_free(old);
	/* What the next count needs is asked for now. */
	if (count_moving(image))
		evidence_take(instance->evidence, last_ripened(image));
}

int refresh_image(struct instance *instance)
{
	struct refusal refusal = {0};
	struct moment moment;
	struct image *image = NULL;
	int error;

	if (count_moving(instance->image))
		evidence_take(instance->evidence, last_ripened(instance->image));
	instance_moment(instance, &moment);
	error = image_build(instance->model, instance->ledger, instance->image, &moment, &image, &refusal);
	if (!error)
		error = load_image(instance, image, &refusal);
	if (!error) {
		take_over(instance, image);
		return 0;
	}
	next_hops_follow(instance->next_hops, instance->image);
	image_free(image);
	if (error == -EAGAIN)
		preparation_begin(instance->preparation, instance->model, NULL, NULL);
	else if (!refusal.what[0])
		refuse(&refusal, error, "%s", strerror(-error));
	instance->overdue = error == -EAGAIN ? (struct refusal){0} : refusal;
	log_refusal(LOG_LEVEL_WARNING, "what is due waits", &refusal);
	return error;
}

/* Numbers --------------------------------------------------------------------------- */

struct carried {
	const struct flow_census *count;
	bool named[HF_MAX_BACKENDS]; /* by a table */
	struct instance *instance;
};

/* Whether nothing carries a retired number any more. */
static bool is_free(uint16_t number, void *context)
{
	const struct carried *carried = context;
	const struct backend_flows *flows = &carried->count->backends[number];

	if (carried->named[number] || flows->opening || flows->established || flows->closing)
		return false;
	carried->instance->drained[number] = false;
	return true;
}

static int is_any(uint16_t number, void *context)
{
	(void)number;
	(void)context;
	return 1;
}

/* evidence_take() guarantees that no packet carries what neither a table nor a flow of the count names. */
bool refresh_numbers(struct instance *instance)
{
	struct carried *carried = calloc(1, sizeof *carried);

	if (carried)
		carried->count = evidence_take(instance->evidence, 0);
	if (!carried || !carried->count) {
		free(carried);
		return false;
	}
	carried->instance = instance;
	if (ledger_retired(instance->ledger, is_any, NULL)) {
		dataplane_named(instance->dataplane, carried->named);
		ledger_release_backends(instance->ledger, is_free, carried);
	}
	ledger_release_unused(instance->ledger);
	free(carried);
	return true;
}

/* After each change at once, and then now and then: flows that carry a number may take their time to end. */
static void release_tick(struct instance *instance, int64_t now)
{
	uint64_t changes = dataplane_changes(instance->dataplane);

	if (changes == instance->released && now < instance->release_at)
		return;
	if (!refresh_numbers(instance))
		return;
	instance->released = changes;
	instance->release_at = now + RELEASE;
}

/* What is due ------------------------------------------------------------------------ */

void refresh_tick(struct instance *instance)
{
	int64_t now = clock_monotonic();
	uint32_t next;

	/* Before what is due is done: a deadline tells how many flows it cuts. */
	drain_tick(instance);
	next = image_next(instance->image);

	if (((next && next <= now / 1000) || instance->overdue.what[0]) && now >= instance->refresh_at) {
		instance->refresh_at = now + (refresh_image(instance) ? RETRY : 0);
		/* Slots that are ripe but for their flows are ripe until those end. */
		next = image_next(instance->image);
		if (next && next <= now / 1000)
			instance->refresh_at += AGAIN;
	}
	release_tick(instance, now);
}
