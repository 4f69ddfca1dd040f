/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "drain.h"
#include "daemon/base/event_log.h"
#include "install.h"
#include "numbers.h"

enum { RETRY = 10 * 1000, AGAIN = 2 * 1000, RELEASE = 60 * 1000 /* ms */ };

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

static bool take_evidence(struct instance *instance)
{
	bool moves = count_moving(instance->image);

	if (moves)
		evidence_take(&instance->evidence, last_ripened(instance->image));
	return moves;
}

int refresh_image(struct instance *instance)
{
	struct install install = {0};
	struct refusal refusal = {0};
	bool moved = take_evidence(instance);
	int error = install_image(instance, &install, &refusal);

	install_close(instance, &install);
	/* What the next count needs is asked for now. may_settle() guarantees that nothing moves any more. */
	if (!error && !take_evidence(instance) && moved)
		event_note(LOG_LEVEL_NOTICE, "settled", "", "every slot is settled");
	if (!error)
		return 0;
	if (error != -EAGAIN && !refusal.what[0])
		refuse(&refusal, error, "%s", strerror(-error));
	instance->overdue = error == -EAGAIN ? (struct refusal){0} : refusal;
	log_refusal(LOG_LEVEL_WARNING, "what is due waits", &refusal);
	return error;
}

/* After each change at once, and then now and then: flows that carry a number may take their time to end. */
static void release_tick(struct instance *instance, int64_t now)
{
	uint64_t changes = dataplane_changes(instance->dataplane);

	if (changes == instance->released && now < instance->release_at)
		return;
	if (!numbers_release(instance))
		return;
	instance->released = changes;
	instance->release_at = now + RELEASE;
}

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
