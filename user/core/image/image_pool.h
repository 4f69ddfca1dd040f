/* SPDX-License-Identifier: Apache-2.0 */
/* How an image is built, pool by pool. */
#pragma once

#include "image.h"

/* Fills *ret, which is all 0; number stays 0 where the ledger knows no such backend. Notes in image when time
 * alone will change it. */
void backend_image_fill(struct backend_image *ret, struct image *image, const struct ledger *ledger,
			const struct pool *pool, const struct backend *backend, const struct moment *moment);

/* By number, for qsort() and bsearch(). */
int backend_image_order(const void *a, const void *b);

/* What a pool's image is made of. */
struct pool_job {
	const struct model *model;
	const struct pool *pool;
	const struct ledger *ledger;
	const struct moment *moment;
	struct image *image;             /* whose backends are filled in already */
	const struct pool_image *before; /* the same pool's, or NULL */
	uint8_t *states;                 /* by backend number: BACKEND_*; 0 for those of other pools */
};
enum {
	BACKEND_LIVES = 1,
	BACKEND_SERVES = 2,
	BACKEND_ANSWERS = 4,
	BACKEND_ABLE = 8 /* serves, and has weight */
};

/*
 * Fills *ret, which is all 0. 0, -EINVAL with *refusal filled, -ENOMEM; *ret needs no release on failure.
 */
int pool_image_build(struct pool_image *ret, struct pool_job *job, struct refusal *refusal);
void pool_image_release(struct pool_image *image);
/* Whether flows find their slots in both alike. */
bool pool_image_same_hash(const struct pool_image *a, const struct pool_image *b);

/* Parts, in the order in which they are built. Each is shared with before where it would be equal. */

/* The placement of a pool's member set, with the set itself. */
int shared_placement_get(const struct pool_job *job, struct pool_image *image, struct refusal *refusal);
void shared_placement_drop(struct shared_placement *shared); /* NULL: nothing */
uint64_t shared_placement_digest(const struct shared_placement *shared);
/* The first WALK_DEPTH members that each slot prefers, [slots][WALK_DEPTH], PLACEMENT_NONE fills. NULL: no
 * memory. */
enum { WALK_DEPTH = 10 };
const uint16_t *shared_placement_walks(struct shared_placement *shared);

/* Words, since when slots move, and how many do. */
int shared_words_get(const struct pool_job *job, struct pool_image *image);
void shared_words_drop(struct shared_words *shared);
void shared_words_lend(struct pool_image *image, const uint64_t *words, const uint32_t *since);
/* A word of image, without what kern adds to lent ones. */
uint64_t pool_image_word(const struct pool_image *image, uint32_t slot);

/*
 * Former owners, of pools whose packets carry hops, as member numbers: for each slot a list of its owners
 * under each earlier set (the first it preferred of those that did not rest), newest first, and then one list
 * for each further rank: a flow is far more often where the set sent it than where it went because somebody
 * was down. PLACEMENT_NONE fills.
 */
enum {
	CURRENT_RANKS = 2, /* of the set in force, which hops name before any further rank */
	KEPT_RANKS = 6,
	OWNERS_DEPTH = 16,
	RANK_DEPTH = 4,
	FORMER_WIDTH = OWNERS_DEPTH + (KEPT_RANKS - 1) * RANK_DEPTH,
};
int shared_former_get(const struct pool_job *job, struct pool_image *image);
void shared_former_drop(struct shared_former *shared);
const uint16_t *shared_former_slot(const struct shared_former *shared, uint32_t slot);

int shared_hops_get(const struct pool_job *job, struct pool_image *image);
void shared_hops_drop(struct shared_hops *shared);
