/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of placement do: each is in the file of its name and returns the program's exit status. */
#ifndef HOLDFAST_STUDY_COMMANDS_H
#define HOLDFAST_STUDY_COMMANDS_H

#include "cli/frame/call.h"

enum exit_status placement_compare(const struct call *call);
enum exit_status placement_replay(const struct call *call);
enum exit_status placement_draw(const struct call *call);
enum exit_status placement_lookup_keys(const struct call *call);
enum exit_status placement_hot(const struct call *call);

#endif
