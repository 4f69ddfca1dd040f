/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instance: what rules (the last committed generation) and what carries it out. Plain data, which views
 * and changes read. What rules is written by a start and by change/install.c alone.
 */
#pragma once

#include <limits.h>

#include "daemon/watch/probe.h"
#include "core/image/image.h"
#include "daemon/watch/carriers.h"
#include "daemon/watch/evidence.h"
#include "daemon/watch/facts.h"
#include "daemon/base/lock.h"
#include "daemon/watch/next_hops.h"
#include "daemon/watch/interfaces.h"
#include "daemon/base/steady_clock.h"
#include "options.h"
#include "daemon/watch/losses.h"
#include "daemon/watch/overflow.h"
#include "daemon/watch/rates.h"
#include "core/image/slot_count.h"
#include "daemon/store/store.h"

struct instance {
	const struct options *options;
	char database[PATH_MAX];
	struct store *store;
	struct steady_clock clock; /* what deadlines and the history are measured by */
	struct facts *facts;       /* what is stated of backends' health */
	bool first;                /* the database was empty, and the file is applied to it at this start */
	struct dataplane *dataplane;
	struct next_hops *next_hops;
	struct interfaces *interfaces;
	struct rates *rates;
	struct slot_counts slot_counts;
	struct census census;
	struct evidence evidence;
	struct probe probe;
	struct waiting *waiting; /* NULL: the loop builds what takes long, and waits for locks */
	struct overflow overflow;
	struct carriers carriers;
	struct refusal overdue; /* why the data plane is not what time has made due; what empty: it is */
	struct losses losses;

	struct generation generation; /* in force */
	struct model *model;
	char *text; /* the model as the store holds it */
	struct ledger *ledger;
	struct image *image;              /* what the data plane holds for it */
	int64_t started;                  /* monotonic milliseconds */
	int64_t refresh_at;               /* ... before which a refresh that failed is not tried again */
	int64_t release_at;               /* ... when numbers are released next, if nothing changes before */
	int64_t prune_at;                 /* ... when old generations are forgotten next */
	uint64_t released;                /* dataplane_changes() when numbers were released last */
	int64_t drains_seen;              /* by `clock`: drains that ended up to then were told of */
	bool drained[HF_MAX_BACKENDS];    /* by number: that it is drained was proved, and told */
	bool store_failed;                /* that the store cannot be written was told */
	struct hold hold;                 /* on the pins */
	char configuration_problem[1024]; /* why the file is not what rules; "": it is, or there is none */
};

/*
 * Opens the store and the data plane and makes the data plane what the last generation says: nothing is
 * touched that is right already, and nothing is attached before its tables are. An instance that has no
 * generation gets its first, an empty model with a seed.
 */
int instance_open(const struct options *options, struct instance **ret, struct refusal *refusal);
/* Lets go of everything; forwarding goes on. */
void instance_close(struct instance *instance);
/* Call before instance_close(), at the end of a process that no other follows at once: an instance that
 * balances nothing, and waits for no interface, leaves nothing on this host but its database. */
void instance_leave(struct instance *instance);
/* Once a second. */
void instance_tick(struct instance *instance);
