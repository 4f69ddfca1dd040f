/* SPDX-License-Identifier: Apache-2.0 */
#include "overflow.h"

#include <inttypes.h>

#include "daemon/base/event_log.h"

enum { CALM = 5 * 1000 /* ms without one more, after which it is over */ };

static void note_rise(struct overflow *overflow, uint64_t unfit, int64_t now)
{
	if (!overflow->is_full) {
		overflow->is_full = true;
		overflow->began = overflow->unfit;
		event_note(LOG_LEVEL_WARNING, "flow-table", "",
			   "the flow table is full: new connections go to the bases of their slots");
	}
	overflow->rose = now;
	overflow->unfit = unfit;
}

void overflow_tick(struct overflow *overflow, struct dataplane *dataplane, int64_t now)
{
	uint64_t events[HF_FLOW_EVENTS];

	if (flow_events(dataplane, events))
		return;
	/* Maps that were made anew begin at 0. */
	if (!overflow->counted || events[HF_FLOW_UNFIT] < overflow->unfit) {
		*overflow = (struct overflow){.counted = true, .unfit = events[HF_FLOW_UNFIT]};
		return;
	}
	if (events[HF_FLOW_UNFIT] > overflow->unfit) {
		note_rise(overflow, events[HF_FLOW_UNFIT], now);
	} else if (overflow->is_full && now - overflow->rose >= CALM) {
		overflow->is_full = false;
		event_note(LOG_LEVEL_NOTICE, "flow-table", "",
			   "the flow table has room again: %" PRIu64 " connections had found none",
			   overflow->unfit - overflow->began);
	}
}

uint64_t overflow_unfit(const struct overflow *overflow)
{
	return overflow->is_full ? overflow->unfit - overflow->began : 0;
}
