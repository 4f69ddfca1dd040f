/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the data plane share: an instance's descriptors, the memory of its maps, and who owns
 * which part of it. */
#ifndef HOLDFAST_STATE_H
#define HOLDFAST_STATE_H

#include "kern/program/dataplane.h"
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

/* The memory of map `name` (lower case) as an array of its entries. */
#define MAP_MEMORY(dataplane, number, type) ((type *)(dataplane)->maps[number].memory)

/* A link that outlives its pin, because this process holds it. id 0: none. */
struct held_link {
	int fd;
	uint32_t id;
	char pinned[PIN_NAME];
	bool gro; /* gro_held() */
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

	uint32_t only;       /* ifindex of the only attachment; 0: none or several */
	struct lb *observer; /* the observing form; NULL until it is first asked */
};

/* dataplane.c */
int instance_check(const char *instance, struct refusal *refusal); /* -EINVAL: that is no name of one */
/* An instance of which nothing is open yet. */
int dataplane_new(const char *instance, bool writable, struct dataplane **ret, struct refusal *refusal);

/* instance.c */
/* Opens what is pinned. 0: everything; -ENOENT: some or all of it is missing (*ret_maps: but no map is). */
int instance_pins_open(struct dataplane *dataplane, bool *ret_maps);
void instance_pins_close(struct dataplane *dataplane);
/* What the control map says, also if its layout is another. */
int control_peek(int fd, struct hf_control *ret);
/* Says in the control map whose it is: layout, digest of the object; and gives the flow table its seed. */
int control_stamp(struct dataplane *dataplane);
/* Pins every open map and program in the place of what was pinned. */
int instance_pins_put(const struct dataplane *dataplane, struct refusal *refusal);
/* Calls keep for each of them, which returns 1 where it made a pin. Returns how many were made, or the error
 * of the one at path. */
int instance_pins_keep(const struct dataplane *dataplane, int (*keep)(int fd, const char *path),
		       char path[PIN_PATH]);

/* keep.c */
int links_hold(struct dataplane *dataplane); /* every pinned link */
void links_release(struct dataplane *dataplane);

/* selftest.c: sends golden packets through the embedded program, on maps of their own. -ENOEXEC: it does not
 * do what it should, as the refusal says. */
int selftest_run(struct refusal *refusal);

/* maps.c */
extern const char *const map_names[MAP_COUNT];
extern const uint32_t map_sizes[MAP_COUNT]; /* of an entry, bytes */
void maps_init(struct dataplane *dataplane);
int maps_memory_map(struct dataplane *dataplane, struct refusal *refusal);
void maps_close(struct dataplane *dataplane);
/* Learns from the maps which ranges are in use. -EPROTO: they contradict each other. */
int ranges_derive(struct dataplane *dataplane, struct refusal *refusal);
/* Learns from the tables in use which hops they name. */
int hops_derive(struct dataplane *dataplane);

/* load.c */
uint64_t object_digest(void);
struct object_log;
/* Opens the embedded object with its maps bound to those of the instance that are open already. */
int object_open(const struct dataplane *dataplane, const struct object_log *log, struct lb **ret);
/* Loads the programs; maps that are open already are used as they are. */
int programs_load(struct dataplane *dataplane, const struct dataplane_limits *limits,
		  struct refusal *refusal);
int program_describe(int fd, uint32_t *ret_id, char ret_tag[17]);
void observer_close(struct lb *observer);

/* reclaim.c: returns when every packet that was under way when it was called is through. */
int packets_wait(void);

/* links.c: keeps HF_LINK_ONLY_INGRESS true. only: the one interface with an attachment, 0: none or several.
 */
void links_mark_only_ingress(struct dataplane *dataplane, uint32_t only);

#endif
