/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which ranges of an array are in use. A range is taken, then retired (no word names it any more, but a
 * packet may still read it), then reclaimed with all others that are retired. First fit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ranges;

int ranges_open(uint32_t limit, struct ranges **ret);
void ranges_close(struct ranges *ranges);
/* Marks a range that is in use already. -EEXIST: some of it is; -ERANGE: beyond the limit. */
int ranges_claim(struct ranges *ranges, uint32_t first, uint32_t count);
/* Takes count entries from a multiple of align on. -ENOSPC, -ENOMEM. */
int ranges_take(struct ranges *ranges, uint32_t count, uint32_t align, uint32_t *ret_first);
/* The range that starts at first is no longer named. No such range: nothing happens. */
void ranges_retire(struct ranges *ranges, uint32_t first);
/* Gives back a range that no packet has ever seen. */
void ranges_release(struct ranges *ranges, uint32_t first);
void ranges_reclaim(struct ranges *ranges);
bool ranges_reclaimable(const struct ranges *ranges);
/* The first hole that begins at a multiple of align, at from or beyond. Nothing retired counts as free.
 * False: there is none. */
bool ranges_hole(const struct ranges *ranges, uint32_t from, uint32_t align, uint32_t *ret_first,
		 uint32_t *ret_count);
/* The first range that starts at from or beyond it. False: there is none. */
bool ranges_next(const struct ranges *ranges, uint32_t from, uint32_t *ret_first, uint32_t *ret_count);
int ranges_copy(const struct ranges *ranges, struct ranges **ret);
uint32_t ranges_limit(const struct ranges *ranges);
uint64_t ranges_used(const struct ranges *ranges); /* entries, retired ones included */
