/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh.h"

#include <stdlib.h>

#include "clock.h"
#include "drain.h"
#include "events.h"

enum { RETRY = 10 * 1000, AGAIN = 2 * 1000, RELEASE = 60 * 1000 /* ms */ };

/* Images --------------------------------------------------------------------------- */

static int load_image(struct instance *instance, struct image *image, struct refusal *refusal)
{
	struct plan *plan = NULL;
	int error = hops_follow(instance->hops, image);

	if (error)
		return error;
	hops_fill(instance->hops, image);
	error = plan_make(instance->image, image, &plan);
	if (!error && !plan_empty(plan))
		error = dataplane_apply(instance->dataplane, plan, instance->generation.number, refusal);
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

static void take_over(struct instance *instance, struct image *image)
{
	struct image *old = instance->image;

	if (count_moving(old) && !count_moving(image))
		event_note(LOG_LEVEL_NOTICE, "settled", "", "every slot is settled");
	instance->image = image;
	instance_loaded(instance);
	image_free(old);
}

int refresh_image(struct instance *instance)
{
	struct refusal refusal = {0};
	struct moment moment;
	struct image *image = NULL;
	int error;

	census_take(instance->census, 0);
	instance_moment(instance, &moment);
	error = image_build(instance->model, instance->ledger, instance->image, &moment, &image, &refusal);
	if (!error)
		error = load_image(instance, image, &refusal);
	if (!error) {
		take_over(instance, image);
		return 0;
	}
	hops_follow(instance->hops, instance->image);
	image_free(image);
	log_refusal(LOG_LEVEL_WARNING, "what is due waits", &refusal);
	return error;
}

/* Numbers --------------------------------------------------------------------------- */

struct release {
	const struct flow_census *census;
	bool named[HF_MAX_BACKENDS]; /* by a slot or an entry */
	uint16_t numbers[256];
	size_t count;
};

static void note_named(struct release *release, const struct image *image)
{
	for (size_t i = 0; i < image->backend_count; i++)
		release->named[image->backends[i].number] = true;
	for (size_t i = 0; i < image->pool_count; i++)
		for (uint32_t slot = 0; slot < image->pools[i].table.size; slot++) {
			uint64_t word = image->pools[i].words[slot];

			release->named[word & 0xffff] = true;
			release->named[word >> HF_SLOT_BASE_SHIFT & 0xffff] = true;
		}
}

static int note_unused(uint16_t number, void *context)
{
	struct release *release = context;
	const struct backend_flows *flows = &release->census->backends[number];

	if (release->count == sizeof release->numbers / sizeof *release->numbers)
		return 1;
	if (!flows->opening && !flows->established && !flows->closing && !release->named[number])
		release->numbers[release->count++] = number;
	return 0;
}

/* Only what no packet can carry: nothing that was retired is still waiting for packets to be gone. */
static void release_numbers(struct instance *instance)
{
	struct release *release = calloc(1, sizeof *release);

	if (release)
		release->census = census_take(instance->census, 0);
	if (release && release->census && census_since(instance->census, instance->loaded) &&
	    !dataplane_reclaimable(instance->dataplane)) {
		note_named(release, instance->image);
		ledger_retired(instance->ledger, note_unused, release);
		for (size_t i = 0; i < release->count; i++)
			ledger_release_backend(instance->ledger, release->numbers[i]);
		ledger_release_unused(instance->ledger);
	}
	free(release);
}

/* What is due ------------------------------------------------------------------------ */

void refresh_tick(struct instance *instance)
{
	int64_t now = clock_monotonic();
	uint32_t next;

	/* Before what is due is done: a deadline tells how many flows it cuts. */
	drain_tick(instance);
	next = image_next(instance->image);

	if (next && next <= now / 1000 && now >= instance->refresh_at) {
		instance->refresh_at = now + (refresh_image(instance) ? RETRY : 0);
		/* Slots that are ripe but for their flows are ripe until those end. */
		next = image_next(instance->image);
		if (next && next <= now / 1000)
			instance->refresh_at += AGAIN;
	}
	if (now < instance->release_at)
		return;
	instance->release_at = now + RELEASE;
	release_numbers(instance);
}
