/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A change replayed through caches: every member keeps the keys that it was asked for, the least recently
 * used leave first, and what it has not it fetches from a slow store. What counts is the hit rate while the
 * change goes by.
 */
#pragma once

#include "core/placement/placement.h"
#include "core/value/refusal.h"

struct replay {
	const struct placement *before, *after;
	uint32_t keys;     /* that are asked for at all: key0 … */
	uint32_t requests; /* in a step */
	uint32_t steps;
	uint32_t change_at; /* the step that begins with the change */
	uint32_t room;      /* keys that a cache holds; 0: all */
	double skew; /* of their popularity: the k-th key is asked for 1 / k^skew as often; 0: all alike */
	bool warm;   /* a member that lacks a key asks its former owner before the store */
	uint64_t seed;
};

/* Writes each step's hit rate. 0, -EINVAL with *refusal filled, or -ENOMEM. */
int replay_run(const struct replay *replay, double *ret_rates, struct refusal *refusal);
