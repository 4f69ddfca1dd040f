/* SPDX-License-Identifier: Apache-2.0 */
/* Placements of pools. */
#pragma once

#include "model.h"

/*
 * The placement of a pool's member set, or of one that it once had. previous: see placement_rebuild(). 0,
 * -EINVAL with *refusal filled, -EAGAIN (ahead.h), -ENOMEM.
 */
int pool_placement(const struct model *model, const struct pool *pool, const struct placement *previous,
		   struct placement **ret, struct refusal *refusal);
int record_placement(const struct member_record *record, struct placement **ret, struct refusal *refusal);
