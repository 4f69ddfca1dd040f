/* SPDX-License-Identifier: Apache-2.0 */
/* The list of an image's backends whose next hops are followed (next_hops.h). */
#pragma once

#include "core/image/image.h"

struct backend_hop {
	struct address address;
	uint16_t backend;
	bool loaded;      /* the data plane has an entry of this number */
	int64_t clear_at; /* monotonic milliseconds when a lost next hop is taken out; 0: not lost */
};

struct followed {
	struct backend_hop *list; /* by address, then number */
	size_t count;
	struct image *image; /* whose backends these are; borrowed */
};

/* The list for an image, in which those that were followed before are what they were. -ENOMEM. */
int followed_make(const struct followed *before, struct image *image, struct followed *ret);
/* The first of that address, or the place beyond it. */
size_t followed_first(const struct followed *followed, const struct address *address);
struct backend_hop *followed_find(const struct followed *followed, const struct address *address,
				  uint16_t backend);
/* The same backend's in this list, or NULL. */
struct backend_hop *followed_same(const struct followed *followed, const struct backend_hop *hop);
