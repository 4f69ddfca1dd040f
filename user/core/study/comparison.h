/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a placement is worth, and what a change of it costs, in numbers. Time is the caller's: it measures how
 * long placement_build() and sample_owners() take.
 */
#pragma once

#include "core/placement/placement.h"

/* What is looked up: keys PREFIXfirst, PREFIXfirst+1, …, or every slot of the table. */
struct sample {
	const char *prefix; /* NULL: the table */
	uint32_t first, count;
};

struct figures {
	double greatest, least; /* load over due load: max/mean and min/mean where weights are equal */
	double deviation;       /* standard deviation of that */
	bool changed;           /* the following tell of a change */
	double moved;           /* share of keys with another owner */
	double minimum;         /* what the members' shares alone make necessary */
	double needless; /* moved, though the old owner's share did not fall or the new one's did not rise */
	double worst_neighbour; /* share of a lost member's keys that one other gets */
	char lost[64];          /* that member */
	char neighbour[64];
	/* With replicas: shares of all copies, and of keys; duplicates NAN where there is no ring. */
	double copies_moved, copies_lost, duplicates;
	/* With a load factor: what a member of mean weight may hold, and the share of keys that go on from a
	 * full owner. */
	double cap, overflow;
};

/* Owners (numbers in placement) of all that the sample names, in order; owners has sample_size() cells. */
void sample_owners(const struct placement *placement, const struct sample *sample, uint16_t *owners);
uint32_t sample_size(const struct placement *placement, const struct sample *sample);

/* One side of a comparison. weights[i] belongs to member number i. */
struct side {
	const struct placement *placement;
	const uint16_t *owners;
	const uint32_t *weights;
};

/*
 * Fills all but the replicas' and the bound's figures. after may be NULL; then the lost member is the one
 * with most keys, and its keys go where their lists say. 0 or -ENOMEM.
 */
int compare(const struct sample *sample, const struct side *before, const struct side *after,
	    struct figures *figures);
/* copies_moved and copies_lost from before to after, which may be equal, and duplicates of before. */
int compare_replicas(const struct sample *sample, const struct side *before, const struct side *after,
		     size_t replicas, struct figures *figures);
/* cap and overflow of before. */
int compare_bounded(const struct sample *sample, const struct side *before, double factor,
		    struct figures *figures);

/*
 * Bounded loads (Mirrokni, Thorup and Zadimoghaddam, 2018): what a member may hold of `load` in all,
 * ceil(factor * load * weight / total). HAProxy's hash-balance-factor is the same with its factor in per
 * cent, and load counting the request that is being placed.
 */
uint64_t bounded_cap(uint64_t load, double factor, uint64_t weight, uint64_t total);
