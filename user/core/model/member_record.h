/* SPDX-License-Identifier: Apache-2.0 */
/* One member set that a pool has or had, apart from the history that it may be part of (history.h). */
#pragma once

#include "model.h"

/* The set that a pool has, as ended at `until`, in the place of *ret. 0 or -ENOMEM. */
int member_record_make(const struct model *model, const struct pool *pool, int64_t until,
		       struct member_record *ret);
/* A record of its own with the same set, in the place of *ret. 0 or -ENOMEM. */
int member_record_copy(struct member_record *ret, const struct member_record *from);
/* Whether two sets are the same; their times do not count. */
bool member_record_equal(const struct member_record *a, const struct member_record *b);
/* Whether two sets differ in who rests at the most. */
bool member_record_same_placement(const struct member_record *a, const struct member_record *b);
/* Frees what a record owns. */
void member_record_release(struct member_record *record);
/* By pool, then newest first, as qsort() takes it. */
int member_record_order(const void *left, const void *right);
/* A digest of a set, without its time. */
uint64_t member_record_digest(const struct member_record *record);
