/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan: the difference between two images as a value. The CLI prints it, the daemon applies it; applying
 * an empty plan touches nothing.
 */
#pragma once

#include "image.h"

enum plan_change { PLAN_ADD, PLAN_CHANGE, PLAN_REMOVE };

struct plan_pool {
	enum plan_change change;
	char name[NAME_SIZE];
	uint32_t number;
	uint32_t slots;    /* of the new table (old one for PLAN_REMOVE) */
	uint32_t moved;    /* slots that leave an owner */
	uint32_t needless; /* of these, slots that move between backends that both keep their place and weight
			    */
	bool rebuilt;      /* size, seed or hash change: every flow's slot changes */
	const struct pool_image *image; /* what to load; NULL for PLAN_REMOVE. Borrowed from the new image */
};

struct plan_backend {
	enum plan_change change; /* PLAN_CHANGE: flags, or how packets are wrapped; never the address */
	uint16_t number;
	const struct backend_image *image; /* NULL for PLAN_REMOVE */
};

struct plan {
	struct plan_pool *pools;
	size_t pool_count;
	struct plan_backend *backends;
	size_t backend_count;
	bool services;                     /* the directory differs */
	const struct directory *directory; /* borrowed from the new image */
	uint64_t slots_needed;             /* slots to allocate for this plan */
};

/* before may be NULL (nothing loaded). The order to apply in: backends added, pools, services, then removals.
 * 0 or -ENOMEM. */
int plan_make(const struct image *before, const struct image *after, struct plan **ret);
void plan_free(struct plan *plan);
bool plan_empty(const struct plan *plan);
/* The share of a pool's new flows that goes elsewhere: moved of its slots. 0 for a pool that comes or goes.
 */
double plan_pool_share(const struct plan_pool *pool);
/*
 * Refuses a plan that moves more than `percent` of a pool's slots, naming the pool and the share; a pool that
 * is rebuilt moves them all. 0 or -EPERM.
 */
int plan_guard(const struct plan *plan, uint32_t percent, struct refusal *refusal);
/* {"pools": [{name, change, slots, moved, share, needless, rebuilt}], "backends": {added, changed, removed},
 * "services": bool}. New reference. */
json_t *plan_to_json(const struct plan *plan);
