/* SPDX-License-Identifier: Apache-2.0 */
/* How an image is built, pool by pool. */
#ifndef HOLDFAST_IMAGE_POOL_H
#define HOLDFAST_IMAGE_POOL_H

#include "image.h"

/* number is 0 where the ledger knows no such backend. */
void backend_image_fill(struct backend_image *image, const struct ledger *ledger, const struct pool *pool,
			const struct backend *backend, enum health_state health);

/*
 * Fills *ret, which is all 0, from the model and from the backends that image has already. before: the same
 * pool's image, or NULL. 0, -EINVAL with *refusal filled, -ENOMEM; *ret needs no release on failure.
 */
int pool_image_build(struct pool_image *ret, const struct model *model, const struct pool *pool,
		     const struct ledger *ledger, const struct image *image, const struct pool_image *before,
		     struct refusal *refusal);
void pool_image_release(struct pool_image *image);
void pool_image_lend(struct pool_image *image, const uint64_t *words);

/* The placement of a pool's member set, with the set itself; shared between images. */
int shared_placement_get(const struct model *model, const struct pool *pool, const struct pool_image *before,
			 struct shared_placement **ret, struct refusal *refusal);
void shared_placement_drop(struct shared_placement *shared); /* NULL: nothing */
struct placement *shared_placement_placement(const struct shared_placement *shared);
uint64_t shared_placement_digest(const struct shared_placement *shared);

#endif
