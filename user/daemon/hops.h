/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Next hops of the backends: follows what the kernel says of their addresses (kern/nexthop.h) and keeps the
 * data plane's entries true.
 */
#ifndef HOLDFAST_HOPS_H
#define HOLDFAST_HOPS_H

#include "../core/ledger.h"
#include "../kern/dataplane.h"
#include "../kern/nexthop.h"

struct hops;

/* Both pointers are read anew at each use, and events name backends by the ledger. */
int hops_open(struct dataplane *const *dataplane, struct ledger *const *ledger, struct hops **ret);
void hops_close(struct hops *hops);
/* Readable: call hops_dispatch(). Twice a second: hops_tick(). */
int hops_fd(const struct hops *hops);
void hops_dispatch(struct hops *hops);
void hops_tick(struct hops *hops);

/* Follows the backends of this image and no others; it must outlive the next hops_follow(). Those that were
 * not followed before are not written to the data plane until hops_loaded(). -ENOMEM leaves everything as it
 * was. */
int hops_follow(struct hops *hops, struct image *image);
/* Waits until every followed address is resolved, but for `milliseconds` at most: a new neighbour answers
 * within one, one that is not there must not hold up the others. */
void hops_settle(struct hops *hops, int milliseconds);
/* Writes into the image's entries what is known: next hop, path MTU, the route's own source address. */
void hops_fill(struct hops *hops, struct image *image);
/* The data plane holds the followed backends now: writes what changed since hops_fill(). */
void hops_loaded(struct hops *hops);
/* What the data plane holds of them is not known any more, until hops_loaded(). */
void hops_unloaded(struct hops *hops);
/* NULL: not followed. Borrowed until the next dispatch. */
const struct nexthop *hops_get(const struct hops *hops, const struct address *address);

#endif
