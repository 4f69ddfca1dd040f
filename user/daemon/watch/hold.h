/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's hold on the pins: that they are there, and that no other process has them. */
#ifndef HOLDFAST_HOLD_H
#define HOLDFAST_HOLD_H

#include "daemon/base/lock.h"
#include "kern/maps/dataplane.h"

struct hold {
	const struct options *options;
	struct locks *locks;    /* NULL: none were taken */
	struct refusal problem; /* why pins are missing, or another process's; empty: all is well */
};

/*
 * Once a second, and before each change: claims the pins again where somebody removed their directory, and
 * pins again what is missing. What cannot be done is a problem until it can. -EBUSY: another process has the
 * pins, and nothing may be changed.
 */
int hold_renew(struct hold *hold, struct dataplane *dataplane);

#endif
