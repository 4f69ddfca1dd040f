// SPDX-License-Identifier: Apache-2.0
#include "flow_ask.h"

#include <linux/bpf.h>

#include "observer.h"

enum { OUT_ROOM = 512 };

static void answer_fill(struct dataplane *dataplane, const uint8_t *out, uint32_t length,
			struct flow_answer *answer)
{
	bool forwarded = answer->verdict == XDP_TX || answer->verdict == XDP_REDIRECT;

	if (!answer->seen.backend || dataplane_backend(dataplane, answer->seen.backend, &answer->entry))
		return;
	answer->wrapped = forwarded && frame_addresses(out, length, &answer->source, &answer->destination);
}

/* A flow that is remembered has an answer of its own; every other is asked for as a new one. */
int flow_ask(struct dataplane *dataplane, const struct flow_tuple *tuple, uint32_t ifindex,
	     struct flow_answer *ret, struct refusal *refusal)
{
	uint8_t frame[FRAME_ROOM], out[OUT_ROOM];
	struct flow_answer answer = {};
	bool remembered = false;
	uint32_t length = 0;

	for (int opening = 0; opening <= 1 && !remembered; opening++) {
		size_t size = frame_build(tuple, opening, frame);
		int r;

		length = sizeof out;
		r = dataplane_observe(dataplane, frame, (uint32_t)size, ifindex, &answer.seen,
				      &answer.verdict, out, &length, refusal);
		if (r)
			return r;
		remembered = answer.seen.backend && answer.seen.choice == HF_CHOICE_REMEMBERED;
	}
	answer_fill(dataplane, out, length, &answer);
	*ret = answer;
	return 0;
}
