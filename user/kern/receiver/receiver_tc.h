/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receiver's tc program at the ingress of an interface: a filter of its own beside other filters, below a
 * clsact qdisc that others may use too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/value/refusal.h"

/*
 * Puts the program (a descriptor) there, in the place of an earlier one without a gap. *ret_qdisc_made tells
 * whether the qdisc was missing and has been made. On failure everything is as it was.
 */
int tc_put(uint32_t ifindex, int program, bool *ret_qdisc_made, struct refusal *refusal);
/*
 * Takes the program away; 0 if there is none. qdisc_made: the qdisc goes too, unless it has filters of
 * others.
 */
int tc_take_away(uint32_t ifindex, bool qdisc_made);
/* The number of the program that is there. -ENOENT: none. */
int tc_program(uint32_t ifindex, uint32_t *ret);
/* Whether it sees a packet before the filters of others, which may keep it from being sent on. */
bool tc_is_first(uint32_t ifindex);
