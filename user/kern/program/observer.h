/* SPDX-License-Identifier: Apache-2.0 */
/* The observing form of the program, which only looks: what becomes of a frame, and of a flow. */
#pragma once

#include "core/value/frame.h"
#include "core/view/view.h"
#include "kern/maps/dataplane.h"

/*
 * Runs one frame through the observing form of the very program that is attached (same object, same maps;
 * nothing live is written). ifindex: where it came in, 0: don't care. *ret_verdict is the XDP action; *length
 * goes in as the room of out and comes out as the frame's length.
 */
int dataplane_observe(struct dataplane *dataplane, const void *frame, uint32_t frame_length, uint32_t ifindex,
		      struct hf_observation *ret, uint32_t *ret_verdict, void *out, uint32_t *length,
		      struct refusal *refusal);

/*
 * One frame of the flow through that form: a new flow is asked for, unless the flow table remembers this one.
 * ifindex: where it comes in, 0: don't care. 0 or a negative errno with *refusal filled.
 */
int flow_ask(struct dataplane *dataplane, const struct flow_tuple *tuple, uint32_t ifindex,
	     struct flow_answer *ret, struct refusal *refusal);
