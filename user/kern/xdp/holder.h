/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds an interface: the XDP programs that it runs, why the kernel takes no other, and the command that
 * takes one away. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/value/refusal.h"
#include "kern/base/netlink.h"

bool interface_is_generic(const char *interface); /* it runs a generic program, whoever's that is */
/*
 * Why the kernel refuses the program there, in the driver's words; empty: it does not say. A bpf_link tells
 * the number of the error alone, so this tries the same attachment by netlink, and undoes it at once if it
 * succeeds.
 */
void xdp_reason(uint32_t ifindex, int program, uint32_t flags, char reason[NETLINK_REASON]);
/* Fills refusal->right with the command that frees the interface of the first program that it runs. */
void holder_right(const char *interface, struct refusal *refusal);

/* Orphans: programs of a balancer that run on an interface, and that no pin holds. */

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
