/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data plane as user space sees it: one instance's pinned maps, programs and attachments.
 *
 * Pins, below /sys/fs/bpf/holdfast/INSTANCE/: `prog` (the xdp section), `prog_frags` (xdp.frags),
 * `maps/NAME`, `links/INTERFACE` (a bpf_link each). Everything goes on without a process; opening adopts what
 * is there. Functions return 0 or a negative errno; where a refusal is filled, it is fit to be shown to the
 * operator.
 */
#ifndef HOLDFAST_DATAPLANE_H
#define HOLDFAST_DATAPLANE_H

#include <stdbool.h>
#include <stdint.h>
#include <holdfast/abi.h>
#include <holdfast/reasons.h>

#include "core/image/image.h"
#include "core/image/plan.h"

struct dataplane;

struct dataplane_limits { /* entries; 0: the default of abi.h */
	uint32_t slots, hops, flows, counters;
};

/*
 * Opens the instance for changing: adopts its pins if all are there and their layout is ours (abi, map
 * sizes), else loads the programs and pins everything (mounting bpffs where it is missing). Half a set of
 * pins is completed or rebuilt before anything is attached. Pins of another build are upgraded; if that is
 * refused they are adopted as they are, where they fit (dataplane_outdated(), dataplane_upgrade() says why).
 * -EPERM, -ENOEXEC (the verifier refused; its last lines in the refusal), -EPROTO (pins of another layout).
 */
int dataplane_open(const char *instance, const struct dataplane_limits *limits, struct dataplane **ret,
		   struct refusal *refusal);
/*
 * Claims the instance's pins for this process: a lock on their directory, which is made where it is missing
 * (and bpffs mounted). Another process that reaches these pins is refused, whatever its other directories
 * are. The claim lasts as long as *ret_fd is open. -EBUSY with *refusal filled: another process has it.
 */
int dataplane_claim(const char *instance, int *ret_fd, struct refusal *refusal);
/*
 * For a claim that is held: if somebody has removed the directory, the claim is gone. Then this claims the
 * pins anew. 0: they are claimed. -EBUSY: another process has them now.
 */
int dataplane_claim_renew(const char *instance, int *fd, struct refusal *refusal);
/*
 * Pins again what somebody removed, or put another object in the place of: maps, programs, and the links that
 * are attached. Packets have gone on meanwhile, for this process holds all of it. Only while the pins are
 * claimed. Returns how many pins were made, or a negative errno with *refusal filled.
 */
int dataplane_pins_keep(struct dataplane *dataplane, struct refusal *refusal);
/* What pins do for packets; all 0: nothing. */
struct served {
	uint32_t services, pools, interfaces;
	uint32_t generation; /* the newest that a pool's word bears */
};
/* Looks at an instance's pins and changes nothing, also where some are missing. */
int dataplane_served(const char *instance, struct served *ret, struct refusal *refusal);
/* Opens the pins for reading only (--offline). -ENOENT: there are none. */
int dataplane_inspect(const char *instance, struct dataplane **ret, struct refusal *refusal);
void dataplane_close(struct dataplane *dataplane); /* leaves the pins */
/* Detaches every interface, also where the other pins are of another layout or gone. -EBUSY: an interface of
 * this network namespace still runs a program that no pins hold. */
int dataplane_detach_all(const char *instance, struct refusal *refusal);
/* Detaches every interface and removes every pin of the instance. */
int dataplane_destroy(const char *instance, struct refusal *refusal);
/*
 * Ends an instance that has no attachment: its pins go, and the neighbours that it had the kernel look for.
 * The flow table goes with them. The caller has the claim, and no process uses the instance any more. 1:
 * done; 0: something is attached, and nothing was done.
 */
int dataplane_leave(const char *instance, struct refusal *refusal);
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

/* Whether the pinned programs are of another build than the ones embedded here. */
bool dataplane_outdated(const struct dataplane *dataplane);
/*
 * Puts the embedded programs in the place of the pinned ones, atomically for every packet, flows and all:
 * tried with golden packets first; maps stay, or are migrated where their entries have grown; or it is
 * refused and nothing has changed. 0: done, and an open struct dataplane needs dataplane_refresh(). 1: done,
 * and maps were replaced: close and open again. -ENOEXEC, -EPROTO, -ENOENT.
 */
int dataplane_upgrade(const char *instance, struct refusal *refusal);
/* Takes note of programs that were upgraded meanwhile. */
int dataplane_refresh(struct dataplane *dataplane);

/*
 * What the maps hold, as an image without names and placements (numbers, tables, words, entries): plan_make()
 * against it tells what is not right. The caller frees it.
 */
int dataplane_read(struct dataplane *dataplane, struct image **ret);
/*
 * Makes the maps what the plan says, every pool and the directory by one 64-bit store each. Space is reserved
 * first: -ENOSPC with the refusal naming the limit leaves everything as it was. The generation is noted in
 * each word. Retired ranges are kept until dataplane_reclaim().
 */
int dataplane_apply(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
		    struct refusal *refusal);
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

struct attachment {
	char interface[16]; /* its present name; elsewhere: what it was called here */
	char pinned[16];    /* what it was called when the program was attached */
	bool elsewhere; /* it was moved to another network namespace, or this process runs in another one */
	uint32_t ifindex;
	bool generic;     /* else native */
	bool shared;      /* through libxdp's dispatcher */
	uint32_t program; /* id */
	char tag[17];
	uint32_t link; /* id of the bpf_link */
};
/*
 * Attaches to an interface of this network namespace; already attached in the wanted mode is no error and
 * changes nothing. Refusals give the driver's reason (netlink extended ack where the kernel gives one) and
 * the alternative.
 */
int dataplane_attach(struct dataplane *dataplane, const char *interface, enum interface_mode mode, bool share,
		     struct refusal *refusal);
/*
 * Lets go of the interface that is called so now; where there is none, of the one that was called so when it
 * was attached; and of one that was called so and is in another network namespace now. 0: none of these runs
 * a program of this instance any more. -ENOENT: none did. -EBUSY: the interface runs one that these pins do
 * not hold, and goes on doing so.
 */
int dataplane_detach(struct dataplane *dataplane, const char *interface, struct refusal *refusal);
/* Whether dataplane_detach() of this name would let go of the attachment. */
bool attachment_answers_to(const struct attachment *attachment, const char *interface);
/*
 * Refuses (-EBUSY) an interface that runs a balancer's program which no pins hold: those of another bpffs
 * that was mounted over, most likely. 0 also where this process may not know. Waits up to two seconds for a
 * program whose pin has just gone.
 */
int dataplane_check_orphan(const char *interface, struct refusal *refusal);
/* Calls visit for each attachment until it returns non-zero, which is returned. Attachments whose interface
 * is gone are unpinned on the way. */
int dataplane_attachments(struct dataplane *dataplane, int (*visit)(const struct attachment *, void *),
			  void *context);

/*
 * Tells the data plane the MAC addresses of the interfaces that it is attached to. From then on it leaves
 * frames for other hosts to the stack. Again when they may have changed; what this misses, the program finds.
 */
void dataplane_know_macs(struct dataplane *dataplane);

/* Sums over processors. */
int dataplane_counters(struct dataplane *dataplane, uint32_t first, uint32_t count, struct hf_counters *ret);
/* Gives the records from `to` on the figures of those from `from` on, processor by processor. */
int dataplane_counters_copy(struct dataplane *dataplane, uint32_t from, uint32_t to, uint32_t count);
int dataplane_counters_clear(struct dataplane *dataplane, uint32_t first, uint32_t count);
int dataplane_reasons(struct dataplane *dataplane, struct hf_reason_counter ret[HF_REASON_LIMIT]);

/*
 * Runs one frame through the observing form of the very program that is attached (same object, same maps;
 * nothing live is written). ifindex: where it came in, 0: don't care. *ret_verdict is the XDP action; *length
 * goes in as the room of out and comes out as the frame's length.
 */
int dataplane_observe(struct dataplane *dataplane, const void *frame, uint32_t frame_length, uint32_t ifindex,
		      struct hf_observation *ret, uint32_t *ret_verdict, void *out, uint32_t *length,
		      struct refusal *refusal);

#endif
