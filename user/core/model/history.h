/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of member sets: what pools' placements were computed from during the last seven days. It is
 * part of the model, so that whoever has a model with its history names the same former owners as the
 * balancers that were there.
 *
 * Only sets of pools that services lead to, or once led to, count: other pools have no flows. A pool that
 * loses its last service keeps a mark (struct pool, served), so that it makes no difference whether a set
 * ends just before a service comes back or just after.
 *
 * Stamps give the order and the age. The age is measured against the model's newest record, never against a
 * clock: equal models have equal histories at any time. A stamp ahead of the clock is set back to it when a
 * newer record is noted, and a gap that is longer than the window counts as a day, so that no step of a clock
 * empties the history.
 *
 * Who rests (backend_rests()) is part of a set, for new flows went elsewhere meanwhile; it changes no
 * placement.
 *
 * Records are kept newest first, those of one pool together, no set twice, HISTORY_MOST a pool, of which
 * HISTORY_VARIANTS differ from the one after them in who rests alone: drains must not crowd members out.
 */
#pragma once

#include "model.h"

enum {
	HISTORY_MOST = 256,
	HISTORY_VARIANTS = 128,
};
#define HISTORY_WINDOW ((int64_t)7 * 24 * 3600 * 1000) /* milliseconds */

/* Members as text, by name: "db1 db2*200 db3@east!"; a weight of 100 and an empty zone stay unsaid, and so do
 * backends that drain to leave (placed_weight()). Who rests (backend_rests()) has a mark of exclamation. */
char *members_text(const struct pool *pool); /* the caller frees it; NULL: out of memory */
/*
 * The members that a text names, in its order, and behind them their names: the caller's to free as one. 0,
 * -EINVAL, -ENOMEM.
 */
int members_parse(const char *text, struct member **ret_members, size_t *ret_count);
/* Whether a text names a member. */
bool members_name(const char *text, const char *name);
/* The next member of a text that rests: its name, and where to look on. NULL: there is none. */
const char *members_next_resting(const char *at, char ret_name[NAME_SIZE]);

/*
 * Sets differ little from those after them, so that a list of them is written as differences: "= -db3
 * db1*200" is the set before it in the list without db3, and with db1 of this weight. history_members() is
 * how record `at` is written, whichever is shorter; the caller frees it, NULL: out of memory.
 * members_resolve() is the way back, from the set that stood before. 0, -EINVAL, -ENOMEM.
 */
char *history_members(const struct model *model, size_t at);
int members_resolve(const char *before, const char *difference, char **ret);
/* Makes whole texts of differences, in the order in which they were read. -EINVAL: *ret_at has nothing before
 * it. */
int history_resolve(struct model *model, size_t *ret_at);

/*
 * Notes in *after every member set of before that after has no longer, as ended at now (milliseconds of the
 * instance's clock), and forgets what is older than the window or more than fits. The noted sets are the
 * newest of their pools, whatever stamps are there. Nothing ended: after's history stays as it is. Marks the
 * pools that their last service has left. 0 or -ENOMEM.
 */
int history_note(struct model *after, const struct model *before, int64_t now);
/*
 * Adds to after, whose history came from outside, what before knows beyond it. Sets that after's history has
 * keep their place there. 0 or -ENOMEM.
 */
int history_merge(struct model *after, const struct model *before, int64_t now);
/*
 * Converts the stamps of after's history, which came from outside, to before's clock: by the newest set that
 * both know, or if there is none by `ahead`, the milliseconds that before's clock is ahead.
 */
void history_align(struct model *after, const struct model *before, int64_t ahead);
/* Gives after, an earlier generation's model, the history of before, and notes what ends. 0 or -ENOMEM. */
int history_keep(struct model *after, const struct model *before, int64_t now);
/* Sorts, and drops duplicates, records that are too old and records beyond the limit. */
void history_tidy(struct model *model);

/* A pool's records, newest first; *ret_count of them. */
const struct member_record *history_of(const struct model *model, const char *pool, size_t *ret_count);
/* A digest of sets in their order, without their times; 0 for none. */
uint64_t history_digest(const struct member_record *records, size_t count);
