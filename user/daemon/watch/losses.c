/* SPDX-License-Identifier: Apache-2.0 */
#include "losses.h"

#include <inttypes.h>
#include <string.h>

#include "kern/base/driver_drops.h"
#include "kern/instance/attachments.h"
#include "daemon/base/event_log.h"

enum {
	PERIOD = 5 * 1000, /* ms from look to look */
	RATED = 500,       /* ms: a rate over less says nothing */
	CALM = 10 * 1000,  /* ms without another loss: it is over */
};

static struct loss *find_loss(struct losses *losses, uint32_t ifindex)
{
	for (size_t i = 0; i < losses->count; i++) {
		if (losses->list[i].ifindex == ifindex)
			return &losses->list[i];
	}
	if (losses->count == MAX_LOSSES)
		return NULL;
	losses->list[losses->count] = (struct loss){.ifindex = ifindex};
	return &losses->list[losses->count++];
}

static void note_loss(struct loss *loss, uint64_t lost, int64_t now)
{
	if (!loss->losing) {
		loss->losing = true;
		loss->began = loss->lost;
		event_note(LOG_LEVEL_WARNING, "interface", loss->interface,
			   "its driver loses forwarded packets");
	}
	loss->rose = now;
	loss->lost = lost;
}

static void loss_follow(struct loss *loss, uint64_t lost, int64_t since, int64_t now)
{
	/* A driver that was loaded again begins at 0. */
	if (!loss->counted || lost < loss->lost) {
		loss->counted = true;
		loss->losing = false;
		loss->lost = lost;
		return;
	}
	if (now - since >= RATED)
		loss->a_second = (double)(lost - loss->lost) * 1000 / (double)(now - since);
	if (lost > loss->lost) {
		note_loss(loss, lost, now);
	} else if (loss->losing && now - loss->rose >= CALM) {
		loss->losing = false;
		event_note(LOG_LEVEL_NOTICE, "interface", loss->interface,
			   "its driver no longer loses packets: it lost %" PRIu64, loss->lost - loss->began);
	}
}

static void look_at(struct losses *losses, uint32_t ifindex, int64_t now)
{
	struct loss *loss = find_loss(losses, ifindex);
	char name[IF_NAMESIZE];
	uint64_t lost;

	if (!loss || loss->seen || !if_indextoname(ifindex, name))
		return;
	loss->seen = true;
	memcpy(loss->interface, name, sizeof name);
	if (losses_read(name, &lost))
		loss->counted = loss->losing = false;
	else
		loss_follow(loss, lost, losses->looked, now);
}

struct sight {
	struct losses *losses;
	int64_t now;
};

static int look_attached(const struct attachment *attachment, void *context)
{
	const struct sight *sight = context;

	if (!attachment->elsewhere)
		look_at(sight->losses, attachment->ifindex, sight->now);
	return 0;
}

static void forget_unseen(struct losses *losses)
{
	size_t kept = 0;

	for (size_t i = 0; i < losses->count; i++) {
		if (losses->list[i].seen)
			losses->list[kept++] = losses->list[i];
	}
	losses->count = kept;
}

void losses_look(struct losses *losses, struct dataplane *dataplane, const struct image *image, int64_t now)
{
	struct sight sight = {losses, now};
	uint32_t leaving[HF_MAX_LINKS];
	size_t count = dataplane_leaving(dataplane, image, leaving);

	/* Two looks at once would say nothing of how fast it rises. */
	if (losses->looked && now - losses->looked < RATED)
		return;
	for (size_t i = 0; i < losses->count; i++)
		losses->list[i].seen = false;
	dataplane_attachments(dataplane, look_attached, &sight);
	for (size_t i = 0; i < count; i++)
		look_at(losses, leaving[i], now);
	forget_unseen(losses);
	losses->looked = now;
}

void losses_tick(struct losses *losses, struct dataplane *dataplane, const struct image *image, int64_t now)
{
	if (now - losses->looked >= PERIOD)
		losses_look(losses, dataplane, image, now);
}

const struct loss *losses_of(const struct losses *losses, const char *interface)
{
	for (size_t i = 0; i < losses->count; i++) {
		if (!strcmp(losses->list[i].interface, interface))
			return &losses->list[i];
	}
	return NULL;
}
