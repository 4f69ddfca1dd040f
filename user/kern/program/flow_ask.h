/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the data plane what becomes of a flow. */
#ifndef HOLDFAST_FLOW_ASK_H
#define HOLDFAST_FLOW_ASK_H

#include "core/value/frame.h"
#include "core/view/view.h"
#include "kern/maps/dataplane.h"

/*
 * One frame of the flow through the observing form of the program (dataplane_observe()): a new flow is asked
 * for, unless the flow table remembers this one. ifindex: where it comes in, 0: don't care. 0 or a negative
 * errno with *refusal filled.
 */
int flow_ask(struct dataplane *dataplane, const struct flow_tuple *tuple, uint32_t ifindex,
	     struct flow_answer *ret, struct refusal *refusal);

#endif
