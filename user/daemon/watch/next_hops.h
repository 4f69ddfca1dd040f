/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Next hops of the backends: follows what the kernel says of their addresses (kern/neighbour/nexthop.h) and
 * keeps the data plane's entries true.
 */
#pragma once

#include "core/ledger/ledger.h"
#include "kern/maps/dataplane.h"
#include "kern/neighbour/nexthop.h"

struct next_hops;

/* Both pointers are read again at each use, and events name backends by the ledger. */
int next_hops_open(struct dataplane *const *dataplane, struct ledger *const *ledger, struct next_hops **ret);
void next_hops_close(struct next_hops *hops);
/* Readable: call next_hops_dispatch(). Twice a second: next_hops_tick(). */
int next_hops_fd(const struct next_hops *hops);
void next_hops_dispatch(struct next_hops *hops);
void next_hops_tick(struct next_hops *hops);

/* Follows the backends of this image, which must outlive that, and goes on with those before until the data
 * plane holds it: next_hops_loaded() or next_hops_undo() comes next. Those that were not followed before are
 * not written to the data plane until then. -ENOMEM leaves everything as it was. */
int next_hops_follow(struct next_hops *hops, struct image *image);
/* Follows what was followed before next_hops_follow(), as if that had not been. */
void next_hops_undo(struct next_hops *hops);
/* Waits until every followed address is resolved, but for `milliseconds` at most: a new neighbour answers
 * within one, one that is not there must not hold up the others. */
void next_hops_settle(struct next_hops *hops, int milliseconds);
/* Writes into the image's entries what is known: next hop, path MTU, the route's own source address. */
void next_hops_fill(struct next_hops *hops, struct image *image);
/* The data plane holds the followed backends now, and no others: writes what changed since next_hops_fill().
 */
void next_hops_loaded(struct next_hops *hops);
/* The image goes, and what the data plane holds is not known any more, until next_hops_loaded(). */
void next_hops_unloaded(struct next_hops *hops);

/* What becomes of the packets to a backend. */
struct reach {
	const struct nexthop *nexthop; /* the kernel's; NULL: not followed; borrowed until a dispatch */
	uint32_t ifindex;              /* they go out of it, to mac; 0: they are dropped */
	uint8_t mac[6];
	int64_t held; /* milliseconds since the kernel lost this next hop; -1: it has not */
};
/* backend is the ledger's number; the data plane must be open. */
void next_hops_reach(const struct next_hops *hops, const struct address *address, uint16_t backend,
		     struct reach *ret);
/* Whether an interface carries packets. Asks the kernel. */
enum link_state next_hops_link(const struct next_hops *hops, uint32_t ifindex);
