/* SPDX-License-Identifier: Apache-2.0 */
/* Drains: how far a backend is on its way out. */
#pragma once

#include "daemon/instance.h"

struct drain_state {
	struct slot_count slots;
	uint32_t open, closing; /* remembered flows */
	int64_t counted;        /* milliseconds since they were counted after the last change; -1: not yet */
	int64_t heard; /* seconds since a flow that is not closing was heard; -1: none is remembered */
	/* It takes nothing and holds nothing: it can be switched off. evidence_take() guarantees that the
	 * count which says so would have shown every flow that it may still have. */
	bool drained;
};

void drain_state(struct instance *instance, const struct pool *pool, const struct backend *backend,
		 struct drain_state *ret);
/*
 * Once a second: tells of drains that are over and of deadlines that have passed, and removes backends that
 * were to leave when they are drained, all of them by one generation.
 */
void drain_tick(struct instance *instance);
