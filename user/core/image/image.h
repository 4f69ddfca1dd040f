/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image: what the data plane's maps should hold for a model, as plain values (abi.h), without knowing
 * where in the maps it will lie. A pure function of model, ledger, health and, for moving slots, of the words
 * that were there before.
 */
#pragma once

#include <holdfast/abi.h>

#include "core/ledger/ledger.h"
#include "core/model/model.h"
#include "core/placement/placement.h"
#include "directory.h"

/* A member of a pool, as its placement numbers them. */
struct pool_member {
	uint16_t number; /* of the backend, from the ledger */
	bool takes_new;
	bool rests;   /* backend_rests() */
	bool serves;  /* old flows of TCP; UDP's grace may be another, see the entry's flags */
	bool answers; /* serves nobody, but its host resets what it does not know */
	uint32_t weight;
	uint16_t older; /* the index and one more of the next that had its name before it; 0: there is none */
};

struct shared_placement;
struct shared_former;
struct shared_words;
struct shared_hops;

/*
 * One that was read back from the maps has neither name, placement, digest nor members, and owns its words,
 * since and hops.
 */
struct pool_image {
	char name[NAME_SIZE];
	uint32_t number;            /* of the pool, from the ledger */
	struct hf_table table;      /* first and old_first are 0: kern places the table */
	const uint64_t *words;      /* table.size slot words (abi.h), without the index of their hops */
	const uint32_t *since;      /* table.size times when moving slots began to move, or that was put off;
				       others mean nothing; NULL: no slot moves */
	const struct hf_hops *hops; /* table.size records, one a slot; NULL: packets carry none. kern stores
				       equal ones once and puts their index into the words it writes */
	uint32_t moving;            /* slots that move */
	uint32_t settles; /* seconds of CLOCK_MONOTONIC when the last of them is ripe to settle; 0: none moves
			   */
	uint32_t ripened; /* when the last of those got ripe that are; 0: none is */
	uint32_t idle;    /* the longest idle time of the pool's services, in seconds */
	struct placement *placement;
	uint64_t digest; /* placement_digest() combined with the hash policy and the flow hash's version */
	uint64_t history_digest;     /* of the member sets of the last seven days */
	struct pool_member *members; /* by the placement's member numbers; behind them those that were
					replaced */
	size_t member_count;         /* all of them */
	/* What images share by reference, where nothing that it comes from has changed. */
	struct shared_placement *shared_placement;
	struct shared_former *shared_former;
	struct shared_words *shared_words;
	struct shared_hops *shared_hops;
};

struct backend_image {
	uint16_t number;
	struct address address; /* whose next hop fills entry.next_hop, entry.mtu and, where no source is
				   configured, entry.src */
	bool source_from_route;
	bool answers;            /* down, but its host is there */
	struct hf_backend entry; /* next_hop 0 */
};

struct image {
	struct directory directory;
	struct pool_image *pools; /* in the model's order; read back from the maps: by number */
	size_t pool_count;
	struct backend_image *backends; /* by number */
	size_t backend_count;
	uint32_t next; /* see image_next() */
};

/* What is known of a backend's health. */
struct health {
	enum health_state state;
	uint32_t since; /* HEALTH_DOWN: seconds of CLOCK_MONOTONIC when it went down, modulo 2^32, since that
			   may be before the boot */
	bool answers;   /* HEALTH_DOWN: its host is there and refuses */
};

/* Down for longer than any grace. */
enum { HEALTH_LONG = 1 << 30 };

/*
 * The moment an image is for, and what is known at it. HEALTH_UNKNOWN takes flows like up. Functions that are
 * NULL: health is what the model's configuration states, and a backend that is down has been down for long;
 * and any slot may have remembered flows away from its owner, so that none settles. A slot settles only by a
 * count that saw all that it must see: image_words.c says what.
 */
struct moment {
	uint32_t now; /* seconds of CLOCK_MONOTONIC */
	int64_t wall; /* the same in milliseconds of the instance's clock (steady.h), which deadlines are of
		       */
	struct health (*health)(void *context, const char *pool, const struct backend *backend);
	/* Whether a flow is remembered away from the slot's owner. The count began after every packet was
	 * through that had read older words than those of `before`. */
	bool (*away)(void *context, uint32_t pool, uint32_t slot);
	/* Seconds of CLOCK_MONOTONIC: every packet that began by then was through, too, when the count for
	 * away() began. The count is no evidence for what became so later. */
	uint32_t counted;
	void *context;
};

/*
 * Builds the image. before (NULL at first) lends what is equal, and its slots are what moves: it is what the
 * data plane holds. 0, -EINVAL with *refusal (a placement refuses), -ENOSPC, -ENOMEM.
 *
 * A table of another size, seed or hash takes the one before as its old table, where unremembered old flows
 * find their base: all its slots move until the idle time is over.
 */
int image_build(const struct model *model, const struct ledger *ledger, const struct image *before,
		const struct moment *moment, struct image **ret, struct refusal *refusal);
/* Tables begin at multiples of these slots: a cache line, so that pools share none. */
enum { TABLE_ALIGN = 8 };

static inline uint64_t table_rounded(uint64_t slots)
{
	return (slots + TABLE_ALIGN - 1) / TABLE_ALIGN * TABLE_ALIGN;
}

/*
 * Whether after leaves room in limit slots for every change that comes after it: beside all tables, old ones
 * of pools that migrate included, a second copy of the largest. Only a pool that comes, gets another size or
 * migrates can be refused. A change that needs no more room is always allowed, and so is one that frees room
 * in an instance that is too full. 0, -ENOSPC with *refusal.
 */
int image_check_room(const struct image *before, const struct image *after, uint32_t limit,
		     struct refusal *refusal);
/*
 * When the next change comes that is time's alone (a grace or a drain's deadline ends, slots get ripe), in
 * seconds of CLOCK_MONOTONIC; 0: none will. Slots that are ripe already and only wait for remembered flows to
 * end, or to be counted, make it the moment of the image itself.
 */
uint32_t image_next(const struct image *image);
/*
 * How many entries of the flow table the pool's moving slots will need at the most before they settle, if it
 * opens so many flows a second and nothing ends before.
 */
uint64_t pool_image_demand(const struct pool_image *image, uint64_t remembered, double opened, uint32_t now);
void image_free(struct image *image);
/*
 * Lets a pool's words, and since when its slots move, live where the caller has them (mapped from the data
 * plane), instead of in the image: they must stay readable until every image that has them is freed. The
 * words must stay as they are; the data plane may put off since when a slot moves, and what is built next
 * reads that. since: NULL where no slot of the image moves.
 */
void image_lend_words(struct image *image, size_t pool, const uint64_t *words, const uint32_t *since);
/*
 * The last moment at which a slot of the pool began to move, in seconds of CLOCK_MONOTONIC, or at which a
 * flow that is not remembered was seen at its base: read anew from what the data plane holds. 0: none moves.
 */
uint32_t pool_image_began_last(const struct pool_image *image);
const struct pool_image *image_pool(const struct image *image, const char *name);
const struct pool_image *image_pool_numbered(const struct image *image, uint32_t number);
const struct backend_image *image_backend(const struct image *image, uint16_t number);
