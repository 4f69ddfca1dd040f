/* SPDX-License-Identifier: Apache-2.0 */
/* Pins that interfaces left behind, and the lock that keeps a sweep from those of a new receiver. */
#ifndef HOLDFAST_RECEIVER_SWEEP_H
#define HOLDFAST_RECEIVER_SWEEP_H

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

#endif
