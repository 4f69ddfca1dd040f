/* SPDX-License-Identifier: Apache-2.0 */
/* Why: what a packet of a flow meets in the data plane, told with names. */
#ifndef HOLDFAST_VIEW_WHY_H
#define HOLDFAST_VIEW_WHY_H

#include "number_name.h"
#include "view.h"

/* What the data plane answered (kern/program/flow_ask.h). */
struct flow_answer {
	struct hf_observation seen;
	uint32_t verdict;        /* of XDP */
	struct hf_backend entry; /* of the backend that was chosen; all 0: none was */
	bool wrapped;            /* it is forwarded, with an outer header: */
	struct address source, destination;
};

/* The slot that the flow meets; NULL: it met none. */
const struct pool_image *answer_pool(const struct flow_answer *answer, const struct image *image);
/* Names of the backends that the slot prefers, best first. Empty where placement is NULL or has no such slot.
 */
json_t *preferences_view(const struct placement *placement, uint32_t slot);
/* A fact of a backend. time: Unix milliseconds. */
json_t *stated_view(const char *pool, const char *name, enum health_state state, const char *author,
		    int64_t time);

struct why_state {
	struct names names;
	const struct image *image;
	const struct flow_answer *answer;
	json_t *preferences; /* of the slot, stated_view() of those, and where the backend's packets go */
	json_t *stated;
	json_t *next_hop;
	const char *program; /* the tag */
};
json_t *why_view(const struct why_state *why);

#endif
