/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the data plane share: an instance's descriptors, the memory of its maps, and who owns
 * which part of it. */
#pragma once

#include "core/value/bits.h"
#include "dataplane.h"
#include "hops.h"
#include "kern/base/pins.h"
#include "ranges.h"

/* The pinned maps. X(ENUM, name in the object and of the pin, type of an entry, shared memory) */
#define DATAPLANE_MAPS(X)                                    \
	X(CONTROL, control, struct hf_control, true)         \
	X(SERVICES, services, struct hf_service, true)       \
	X(POOLS, pools, uint64_t, true)                      \
	X(TABLES, tables, struct hf_table, true)             \
	X(SLOTS, slots, uint64_t, true)                      \
	X(SINCE, since, struct hf_since, true)               \
	X(HOPS, hops, struct hf_hops, true)                  \
	X(BACKENDS, backends, struct hf_backend, true)       \
	X(FLOWS, flows, struct hf_flow, true)                \
	X(COUNTERS, counters, struct hf_counters, false)     \
	X(REASONS, reasons, struct hf_reason_counter, false) \
	X(FLOW_EVENTS, flow_events, uint64_t, false)         \
	X(EGRESS, egress, uint32_t, false)

enum map_number {
#define X(number, name, type, shared) MAP_##number,
	DATAPLANE_MAPS(X)
#undef X
		MAP_COUNT
};

/* Of the services array: the directory in use in one half, the next one in the other. */
enum { SERVICES_ENTRIES = 2 * HF_MAX_DIRECTORY };

struct map {
	int fd; /* -1: not open */
	uint32_t entries;
	void *memory; /* NULL: not shared */
	size_t length;
};

/* control.reserved, as user space uses it: the digest of the object that the programs were loaded from; and
 * dataplane_forgot(). */
enum { CONTROL_DIGEST, CONTROL_FORGOT };

/* A link that outlives its pin, because this process holds it. id 0: none. */
struct held_link {
	int fd;
	uint32_t id;
	char pinned[PIN_NAME];
	bool gro; /* gro_held() */
};

struct observer {
	int prog, observation; /* the program, and the map in which it writes down what it found */
};

struct dataplane {
	char instance[NAME_SIZE];
	bool adopted, writable;
	bool new; /* the maps were made by this opening */
	int prog, prog_frags;
	uint32_t prog_id, prog_frags_id;
	char tag[17], frags_tag[17];
	char replaced[17]; /* tag of the program that this opening replaced; empty: none */
	struct map maps[MAP_COUNT];
	struct hf_control *control;
	struct hf_service *services;
	uint64_t *pools;
	struct hf_table *tables;
	uint64_t *slots;
	struct hf_since *since;
	struct hf_hops *hops;
	struct hf_backend *backends;
	struct hf_flow *flows;

	struct ranges *slot_ranges, *table_ranges, *service_ranges;
	uint64_t retired_backends[HF_MAX_BACKENDS / 64]; /* a bit each: no longer named by any slot */
	bool backends_retired;
	struct hops_store *hops_store;
	bool hops_retired; /* some records may be named by no slot any more */

	uint64_t changes;   /* dataplane_changes() */
	struct grace grace; /* dataplane_grace() */

	struct held_link held[HF_MAX_LINKS]; /* where writable */

	uint32_t only;            /* ifindex of the only attachment; 0: none or several */
	struct observer observer; /* the observing form: descriptors, -1 until it is first asked */
};

/* The number of the table that a pool has in force; 0: none. */
static inline uint32_t pool_table(const struct dataplane *dataplane, uint32_t pool)
{
	return pool < dataplane->maps[MAP_POOLS].entries ? (uint32_t)dataplane->pools[pool] : 0;
}

/* That table; NULL: none. */
static inline const struct hf_table *table_in_force(const struct dataplane *dataplane, uint32_t pool)
{
	uint32_t number = pool_table(dataplane, pool);

	return number ? &dataplane->tables[number] : NULL;
}

/* dataplane.c */
int instance_check(const char *instance, struct refusal *refusal); /* -EINVAL: that is no name of one */
/* An instance of which nothing is open yet. */
int dataplane_new(const char *instance, bool writable, struct dataplane **ret, struct refusal *refusal);
void held_link_release(struct held_link *held);

/* maps.c */
extern const struct map_kind {
	const char *name;
	uint32_t size; /* of an entry, bytes */
	bool shared;
} map_kinds[MAP_COUNT];
void maps_init(struct dataplane *dataplane);
int maps_memory_map(struct dataplane *dataplane, struct refusal *refusal);
void maps_close(struct dataplane *dataplane);
/* Learns from the maps which ranges are in use. -EPROTO: they contradict each other. */
int ranges_derive(struct dataplane *dataplane, struct refusal *refusal);
/* Learns from the tables in use which hops they name. */
int hops_derive(struct dataplane *dataplane);

/* migration.c: copies maps whose entries have grown, or have become more. Returns how many were replaced (one
 * that was missing counts), or a negative errno: -EPROTO, the layout is another. */
int maps_migrate(struct dataplane *dataplane, struct refusal *refusal);

/* reclaim.c: returns when every packet that was under way when it was called is through. */
int packets_wait(void);

/* egress.c: keeps HF_LINK_ONLY_INGRESS true. only: the one attached interface; 0: none or several. */
void egress_mark_only_ingress(struct dataplane *dataplane, uint32_t only);
