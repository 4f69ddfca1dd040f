/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data plane as user space sees it: one instance's pinned maps, programs and attachments.
 *
 * Pins, below /sys/fs/bpf/holdfast/INSTANCE/: `prog` (the xdp section), `prog_frags` (xdp.frags),
 * `maps/NAME`, `links/INTERFACE` (a bpf_link each). Everything goes on without a process; opening adopts what
 * is there. Functions return 0 or a negative errno; where a refusal is filled, it is fit to be shown to the
 * operator.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <holdfast/abi.h>
#include <holdfast/reasons.h>

#include "core/image/image.h"

struct dataplane;

struct dataplane_limits { /* entries; 0: the default of abi.h */
	uint32_t slots, hops, flows, counters;
};

void dataplane_close(struct dataplane *dataplane); /* leaves the pins */
bool dataplane_adopted(const struct dataplane *dataplane);
/* The tag of the program of another build that dataplane_open() put its own in the place of; NULL: none. */
const char *dataplane_replaced(const struct dataplane *dataplane);
/* The maps are new, and so nothing is remembered of the flows there may be. */
bool dataplane_is_new(const struct dataplane *dataplane);
/*
 * Notes in the pins that at `when` (seconds of CLOCK_MONOTONIC, not 0) all that was remembered of flows was
 * lost, though backends may have had some; and when that last was, 0: never. Until a service's idle time has
 * passed since, silence proves nothing.
 */
void dataplane_forgot(struct dataplane *dataplane, uint32_t when);
uint32_t dataplane_forgotten(const struct dataplane *dataplane);
const char *
dataplane_program_tag(const struct dataplane *dataplane); /* "9f3a1c0b2d4e5f60", the kernel's tag */

/*
 * What the maps hold, as an image without names and placements (numbers, tables, words, entries): plan_make()
 * against it tells what is not right. The caller frees it.
 */
int dataplane_read(struct dataplane *dataplane, struct image **ret);
/*
 * A grace period: every packet that was under way when it began is through when it is over, and has entered
 * what it enters into the flow table. Those packets may have read what was in force before any change.
 */
struct grace {
	uint64_t changes; /* dataplane_changes() when it began; 0: there was none since the instance was
			     opened */
	uint32_t began;   /* seconds of CLOCK_MONOTONIC */
};
/* How often what packets read was changed since the instance was opened, which counts as the first time. */
uint64_t dataplane_changes(const struct dataplane *dataplane);
/* The last grace period that is over. */
struct grace dataplane_grace(const struct dataplane *dataplane);
/*
 * Waits for a grace period (membarrier), then frees what was retired before it. Off the change path: it may
 * take tens of milliseconds.
 */
int dataplane_reclaim(struct dataplane *dataplane);
/* Whether a change, or something that was retired, still waits for a grace period. */
bool dataplane_reclaimable(const struct dataplane *dataplane);

/* How many slots the tables of all pools may take, and how many counters there are: fixed when the pins were
 * made, whatever the options say since. */
uint32_t dataplane_counter_limit(const struct dataplane *dataplane);
uint32_t dataplane_slot_limit(const struct dataplane *dataplane);
/* Slot words of a pool as they are now, borrowed until the next apply. -ENOENT: not loaded. */
int dataplane_pool(struct dataplane *dataplane, uint32_t pool, struct hf_table *ret_table,
		   const uint64_t **ret_words);
/* When the slots of a pool that is loaded began to move, borrowed in the same way. The data plane puts it
 * off. */
const uint32_t *dataplane_pool_since(const struct dataplane *dataplane, uint32_t pool);
int dataplane_backend(struct dataplane *dataplane, uint16_t number, struct hf_backend *ret);
/* Sets named[number] for every backend that a pool's table names as owner, base or hop, or the old table of a
 * pool that migrates; the others are left as they are. */
void dataplane_named(const struct dataplane *dataplane, bool named[HF_MAX_BACKENDS]);
/* Whether the backend is the base of a slot in the old table of a pool that migrates. */
bool dataplane_old_base(const struct dataplane *dataplane, uint32_t pool, uint16_t backend);

/* A link is an interface that packets may leave by. Finds or gives its number; sets MAC and MTU; enters it in
 * the devmap. */
int dataplane_link_set(struct dataplane *dataplane, uint32_t ifindex, const uint8_t mac[6], uint32_t mtu,
		       uint16_t *ret_link);
/* The interfaces that packets to the image's backends leave by, each once. Returns how many. */
size_t dataplane_leaving(struct dataplane *dataplane, const struct image *image, uint32_t ret[HF_MAX_LINKS]);
/* Points a backend's packets at a next hop; mac NULL: unresolved. One store. */
int dataplane_next_hop_set(struct dataplane *dataplane, uint16_t backend, const uint8_t mac[6],
			   uint16_t link);
/* Where a backend's packets go now: the interface's index, and the MAC address in *ret_mac. 0: they are
 * dropped. */
uint32_t dataplane_next_hop(const struct dataplane *dataplane, uint16_t backend, uint8_t ret_mac[6]);

/* Sums over processors. */
int dataplane_counters(struct dataplane *dataplane, uint32_t first, uint32_t count, struct hf_counters *ret);
/* Gives the records from `to` on the figures of those from `from` on, processor by processor. */
int dataplane_counters_copy(struct dataplane *dataplane, uint32_t from, uint32_t to, uint32_t count);
int dataplane_counters_clear(struct dataplane *dataplane, uint32_t first, uint32_t count);
int dataplane_reasons(struct dataplane *dataplane, struct hf_reason_counter ret[HF_REASON_LIMIT]);
