/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image: what the data plane's maps should hold for a model, as plain values (abi.h), without knowing
 * where in the maps it will lie. A pure function of model, ledger, health and, for moving slots, of the words
 * that were there before.
 */
#ifndef HOLDFAST_IMAGE_H
#define HOLDFAST_IMAGE_H

#include <holdfast/abi.h>

#include "ledger.h"
#include "model.h"
#include "placement/placement.h"

/* An open-addressed directory of services, as control.services names it (abi.h): 1 << log2 entries. */
struct directory {
	struct hf_service *entries;
	uint32_t log2;
	uint32_t lengths; /* bit n: port prefixes of n bits are in use */
};

/* A member of a pool, as its placement numbers them. */
struct pool_member {
	uint16_t number; /* of the backend, from the ledger */
	bool takes_new;
	bool serves;
	uint32_t weight;
};

struct shared_placement;
struct shared_words;

/* One that was read back from the maps has neither name, placement, digest nor members, and owns its words.
 */
struct pool_image {
	char name[NAME_SIZE];
	uint32_t number;            /* of the pool, from the ledger */
	struct hf_table table;      /* first and old_first are 0: kern places the table */
	const uint64_t *words;      /* table.size slot words (abi.h), without the index of their hops */
	const struct hf_hops *hops; /* table.size records, one a slot; NULL: packets carry none. kern stores
				       equal ones once and puts their index into the words it writes */
	struct placement *placement;
	uint64_t digest; /* placement_digest() combined with the hash policy and the flow hash's version */
	struct pool_member *members; /* placement_members() of them, by the placement's member numbers */
	/* What images share by reference: placements of equal member sets, words of pools that did not
	 * change. */
	struct shared_placement *shared_placement;
	struct shared_words *shared_words;
};

struct backend_image {
	uint16_t number;
	struct address address; /* whose next hop fills entry.next_hop, entry.mtu and, where no source is
				   configured, entry.src */
	bool source_from_route;
	struct hf_backend entry; /* next_hop 0 */
};

struct image {
	struct directory directory;
	struct pool_image *pools; /* in the model's order; read back from the maps: by number */
	size_t pool_count;
	struct backend_image *backends; /* by number */
	size_t backend_count;
};

/* What the daemon knows of a backend's health, by pool and name. */
typedef enum health_state (*health_of)(void *context, const char *pool, const char *backend);

/*
 * Builds the image. before (NULL at first) lends its placements where member sets are equal, and its words
 * where slots move (now: seconds of CLOCK_MONOTONIC). health NULL: everyone is HEALTH_UNKNOWN, which takes
 * flows like up. 0, -EINVAL with *refusal (a placement refuses), -ENOSPC, -ENOMEM.
 */
int image_build(const struct model *model, const struct ledger *ledger, const struct image *before,
		health_of health, void *context, uint32_t now, struct image **ret, struct refusal *refusal);
void image_free(struct image *image);
/*
 * Lets a pool's words live where the caller has them (mapped from the data plane), instead of in the image:
 * they must stay readable and as they are until every image that has them is freed.
 */
void image_lend_words(struct image *image, size_t pool, const uint64_t *words);
const struct pool_image *image_pool(const struct image *image, const char *name);
const struct pool_image *image_pool_numbered(const struct image *image, uint32_t number);
const struct backend_image *image_backend(const struct image *image, uint16_t number);

/* Lays services out as a directory whose longest probe is at most HF_MAX_PROBES. Port ranges become port
 * prefixes. */
int directory_build(const struct hf_service *services, const uint16_t *port_high, size_t count,
		    struct directory *ret);
void directory_free(struct directory *directory);
/* The entry a packet to (proto, addr, port) finds, or NULL: the data plane's own walk, for tests and `why`.
 */
const struct hf_service *directory_find(const struct directory *directory, uint8_t family,
					const __be32 addr[4], uint8_t proto, uint16_t port);

#endif
