/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds an interface: the XDP programs that it runs, why the kernel takes no other, and the command that
 * takes one away. */
#ifndef HOLDFAST_HOLDER_H
#define HOLDFAST_HOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/value/refusal.h"
#include "kern/base/netlink.h"

enum { HOLDER_COMMAND = 128 };

/* What may run on one interface at a time: a native program, a generic one, and one in the NIC. */
enum holder_mode { HOLDER_NATIVE, HOLDER_GENERIC, HOLDER_OFFLOADED, HOLDER_MODES };

/* The identifiers of the programs, by mode; 0: none. */
void holders_read(uint32_t ifindex, uint32_t ret_programs[HOLDER_MODES]);
bool interface_is_generic(const char *interface); /* it runs a generic program, whoever's that is */
/*
 * Why the kernel refuses the program there, in the driver's words; empty: it does not say. A bpf_link tells
 * the number of the error alone, so this tries the same attachment by netlink, and undoes it at once if it
 * succeeds.
 */
void xdp_reason(uint32_t ifindex, int program, uint32_t flags, char reason[NETLINK_REASON]);
/*
 * The command that takes the program of that mode from the interface. A bpf_link is detached by its number,
 * which only a process with CAP_SYS_ADMIN can read; any other program by `ip link`, which must name the mode:
 * `xdp off` leaves a generic program where the driver has native XDP.
 */
void holder_command(const char *interface, enum holder_mode mode, uint32_t program, char ret[HOLDER_COMMAND]);
/* Fills refusal->right with the command that frees the interface of the first program that it runs. */
void holder_right(const char *interface, struct refusal *refusal);

#endif
