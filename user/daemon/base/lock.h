/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One daemon for each instance. It locks each thing that two daemons could share: the database, the pins, and
 * the runtime directory. The kernel releases the locks when the process ends.
 */
#pragma once

#include "daemon/options.h"
#include "kern/maps/dataplane.h"

/* Descriptors; -1: not taken. */
struct locks {
	int runtime, database, pins;
};

/*
 * Makes the runtime and the state directory where they are missing, and takes RUNTIME/INSTANCE.lock,
 * STATE/INSTANCE.db.lock and the pins' directory; the two files hold the owner's process number. A process
 * that was killed may lose its locks one after the other: for those behind the first this waits a little.
 * -EBUSY with the owner named in *refusal; other errors as errno says.
 */
int locks_take(const struct options *options, struct locks *ret, struct refusal *refusal);
/* Members that are -1 are nothing to release. */
void locks_release(struct locks *locks);

/* The daemon's hold on the pins: that they are there, and that no other process has them. */
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
