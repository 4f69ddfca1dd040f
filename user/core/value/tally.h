/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies: what is counted of a service, a backend or a reason, and how fast it grows. */
#pragma once

#include <holdfast/abi.h>
#include <jansson.h>
#include <stdbool.h>

struct tally {
	struct hf_counters total;
	double packets, bytes, flows; /* a second */
	bool seen, unseen;            /* there are services whose flows are seen to begin, and others */
};

/* Adds counters of a service, whose flows are seen to begin or not. */
void tally_count(struct tally *tally, const struct hf_counters *counters, bool seen);
/* New flows a second, times share; null where no flow is seen to begin. New reference. */
json_t *tally_new_flows(const struct tally *tally, double share);
