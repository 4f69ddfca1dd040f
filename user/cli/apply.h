/* SPDX-License-Identifier: Apache-2.0 */
/* Whole configurations: from a file or a generation, to the desired state. */
#ifndef HOLDFAST_CLI_APPLY_H
#define HOLDFAST_CLI_APPLY_H

#include <jansson.h>

#include "core/model/model.h"
#include "cli/frame/request.h"

/* The desired state in force, from the daemon. */
enum exit_status model_in_force(const struct call *call, bool state, struct model **ret);
/*
 * Posts a change of the whole desired state (body, to which it adds) and prints what happened to subject.
 * Where the daemon refuses it because it moves more than its move_limit, and there is a terminal, it asks.
 */
enum exit_status change_whole(const struct call *call, const char *path, json_t *body, const char *subject);
/* model_diff()'s list, a line an object: "+" came, "-" went, "~" changed. False: it is empty. */
bool differences_print(const json_t *differences);

#endif
