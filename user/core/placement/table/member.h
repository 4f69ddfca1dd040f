/* SPDX-License-Identifier: Apache-2.0 */
/* Members as a placement keeps them: in name order, numbered, hashed, their zones told apart. */
#ifndef HOLDFAST_PLACEMENT_MEMBER_H
#define HOLDFAST_PLACEMENT_MEMBER_H

#include "table.h"

/*
 * Pointers to the set's members by name into members, which has room for all; each name checked, none twice.
 * 0, or -EINVAL with *refusal filled.
 */
int members_order(const struct member_set *set, const struct member **members, struct refusal *refusal);
/*
 * Copies the ordered members, as many as placement->count, into the placement: names into one block, hashes
 * under the seed. 0 or -ENOMEM; what was made goes with the placement.
 */
int members_copy(struct placement *placement, const struct member **members);

#endif
