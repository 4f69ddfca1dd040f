/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A crowd: the members that a study is about, as one writes them on a command line.
 *
 *   a,b,c           three members of weight 100
 *   b*2, b=250      twice that weight; this weight
 *   c@east          in a zone
 *   cache-0..9      cache-0, cache-1, … cache-9
 *
 * and changes of it: +d, +d..f and the like come, -b leaves, b*2 and b=250 change weight, b@west moves.
 */
#pragma once

#include "core/placement/placement.h"

enum { CROWD_WEIGHT = 100 };

struct crowd {
	struct member *members; /* in joining order; names and zones are the crowd's */
	size_t count, room;
};

/* Adds what text lists to the crowd. 0, -EINVAL with *refusal filled, or -ENOMEM. */
int crowd_add(struct crowd *crowd, const char *text, struct refusal *refusal);
/* Adds one member with copies of name and zone. 0 or -ENOMEM. */
int crowd_join(struct crowd *crowd, const char *name, uint32_t weight, const char *zone);
/* Applies a list of changes with commas between. As crowd_add(). */
int crowd_change(struct crowd *crowd, const char *text, struct refusal *refusal);
int crowd_copy(const struct crowd *crowd, struct crowd *ret);
void crowd_free(struct crowd *crowd); /* leaves it empty */
struct member *crowd_find(const struct crowd *crowd, const char *name);
