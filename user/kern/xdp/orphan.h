/* SPDX-License-Identifier: Apache-2.0 */
/* Orphans: programs of a balancer that run on an interface, and that no pin holds. */
#ifndef HOLDFAST_ORPHAN_H
#define HOLDFAST_ORPHAN_H

#include <stdint.h>

#include "core/value/refusal.h"

/*
 * Refuses (-EBUSY) where the interface runs a balancer's program that no pinned link has: those of another
 * bpffs that was mounted over, most likely. own (may be NULL): the numbers of the caller's programs, which it
 * knows without privileges; others are known by their names to CAP_SYS_ADMIN alone. 0 if there is none, or if
 * this process cannot know.
 */
int orphan_check(const uint32_t own[2], const char *interface, struct refusal *refusal);
/* The same, and it waits up to two seconds for a program whose pin has just gone. */
int orphan_wait(const uint32_t own[2], const char *interface, struct refusal *refusal);
/* orphan_check() for every interface of this network namespace. */
int orphans_check(struct refusal *refusal);

#endif
