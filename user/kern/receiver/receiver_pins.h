/* SPDX-License-Identifier: Apache-2.0 */
/* Where a receiver's pins are, what interfaces left behind of them, and the lock that keeps a sweep from
 * those of a new receiver. */
#pragma once

#include <stdint.h>

#include "kern/base/pins.h"
#include "kern/xdp/attachment.h"

/* Those behind the verdicts may be missing where an older version attached. */
enum {
	RECEIVER_PREFIXES,
	RECEIVER_VIPS,
	RECEIVER_VERDICTS,
	RECEIVER_WAYS,
	RECEIVER_SECRET,
	RECEIVER_ADDRESSES,
	RECEIVER_MACS,
	RECEIVER_MAPS
};
extern const char *const receiver_maps[RECEIVER_MAPS];

/* Interfaces are named within their network namespace, so pins are too. interface NULL: the directory of this
 * namespace; what NULL: that of the interface. Returns path. */
const char *receiver_path(const char *interface, const char *what, char path[PIN_PATH]);

/* A descriptor of what is pinned under that name, or a negative errno. */
int receiver_pin_get(const char *interface, const char *what);
/* As xdp_attachment(), of the interface's link. */
int receiver_attachment(const char *interface, struct attachment *ret);

/* What the program was told in its constants, in a map of its own (`about`) for those who ask later. */
struct receiver_about {
	char netns[64];
	uint16_t gue_port;
	uint16_t reserved16;
	uint32_t qdisc_made; /* the interface (ifindex) that had no clsact qdisc before; 0: it had one */
	uint8_t reserved[56];
};
/* -ENOENT and the like: there is none. */
int receiver_about_read(const char *interface, struct receiver_about *ret);

/*
 * Attaching, detaching and sweeping exclude each other, in whatever network namespace: else an interface that
 * a sweep has found gone may have a receiver again by the time its pins are removed. Returns a descriptor for
 * receivers_unlock(), or -errno: -ENOENT where no receiver was attached yet, -EBUSY after ten seconds.
 */
int receivers_lock(void);
void receivers_unlock(int lock); /* nothing if it is negative */
/* Removes what interfaces have left that went away with their namespaces. The caller has the lock. */
void receivers_sweep(void);
/* Calls the pins of this namespace as their interfaces are called now, where no other pins have that name.
 * The caller has the lock. */
void receivers_follow_names(void);
/* Removes the pins of an interface of this namespace if it is gone. Takes the lock. */
void receiver_forget(const char *interface);
