/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs of placement, as holdfast-placement and holdfast show them. None names what it does: the one
 * program does it, and the other starts that one.
 */
#pragma once

#include "cli/frame/call.h"

extern const struct verb placement_verbs[]; /* ends with verb NULL */

/* What they do in holdfast-placement, each in the file of its name; the program's exit status. */
enum exit_status placement_compare(const struct call *call);
enum exit_status placement_replay(const struct call *call);
enum exit_status placement_draw(const struct call *call);
enum exit_status placement_lookup_keys(const struct call *call);
enum exit_status placement_hot(const struct call *call);
