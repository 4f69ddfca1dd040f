/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow table, read and tidied while the data plane writes it: figures are those of a moment that lasted
 * as long as the reading. Times are seconds of CLOCK_MONOTONIC, as the data plane notes them.
 */
#pragma once

#include "dataplane.h"

struct backend_flows {
	uint32_t opening, established, closing;
	uint32_t heard; /* when the last of its flows that is not closing was; 0: it has none */
};

struct pool_flows {
	uint32_t remembered;
	uint32_t away;  /* remembered with another backend than their slot's owner, closing ones included */
	uint32_t slots; /* of the pool's table, when it was read */
	uint64_t *away_slots; /* a bit a slot: some flow is away; NULL: none is */
};

struct flow_census {
	uint32_t limit; /* entries of the table */
	uint32_t opening, established, closing;
	uint32_t purged;
	struct backend_flows *backends; /* HF_MAX_BACKENDS, by number */
	struct pool_flows *pools;       /* HF_MAX_POOLS, by number */
};

/*
 * One pass over the table. What is over leaves it on the way: flows that were silent for longer than their
 * idle time, or for a minute where their backend serves their protocol no more (it may come back until then;
 * their next packet places them anew), whose pool is gone, and those of settled slots unless their service
 * tracks always. -ENOMEM.
 */
int flows_count(struct dataplane *dataplane, uint32_t now, struct flow_census **ret);
void flow_census_free(struct flow_census *census);
/* Whether some flow on the slot is remembered with another backend than its owner: then it may not settle. */
bool flow_census_away(const struct flow_census *census, uint32_t pool, uint32_t slot);

/* What the data plane did since it was loaded, by enum hf_flow_event, summed over processors. What a program
 * of an earlier version does not count is 0. */
int flow_events(struct dataplane *dataplane, uint64_t ret[HF_FLOW_EVENTS]);

/* How many flows are remembered on these slots (a bit each) of a pool's table of that size. */
uint32_t flows_on_slots(const struct dataplane *dataplane, uint32_t pool, const uint64_t *slots,
			uint32_t size);
/* Empties the table, as a reboot would. */
void flows_clear(struct dataplane *dataplane);
