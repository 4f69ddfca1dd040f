/* SPDX-License-Identifier: Apache-2.0 */
/* Orphans: programs of a balancer that run on an interface, and that no pin holds. */
#ifndef HOLDFAST_ORPHAN_H
#define HOLDFAST_ORPHAN_H

#include "kern/program/dataplane.h"

/*
 * Refuses (-EBUSY) where the interface runs a balancer's program that no pinned link has. dataplane (may be
 * NULL) knows its own programs without privileges; others are known by their names to CAP_SYS_ADMIN alone. 0
 * if there is none, or if this process cannot know.
 */
int orphan_check(const struct dataplane *dataplane, const char *interface, struct refusal *refusal);
/* The same, and it waits up to two seconds for a program whose pin has just gone. */
int orphan_wait(const struct dataplane *dataplane, const char *interface, struct refusal *refusal);
/* orphan_check() for every interface of this network namespace. */
int orphans_check(struct refusal *refusal);

#endif
