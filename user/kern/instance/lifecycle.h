/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an instance, from the claim on its pins to its end. */
#pragma once

#include "kern/maps/dataplane.h"

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
/* Detaches every interface and removes every pin of the instance. */
int dataplane_destroy(const char *instance, struct refusal *refusal);
/*
 * Ends an instance that has no attachment: its pins go, and the neighbours that it had the kernel look for.
 * The flow table goes with them. The caller has the claim, and no process uses the instance any more. 1:
 * done; 0: something is attached, and nothing was done.
 */
int dataplane_leave(const char *instance, struct refusal *refusal);
