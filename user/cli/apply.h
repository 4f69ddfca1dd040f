/* SPDX-License-Identifier: Apache-2.0 */
/* Whole configurations: from a file or a generation, to the desired state. */
#ifndef HOLDFAST_CLI_APPLY_H
#define HOLDFAST_CLI_APPLY_H

#include <jansson.h>

#include "../core/model.h"
#include "request.h"

/* Reads a configuration file ("-": standard input). New reference; complains where it fails. */
enum exit_status configuration_read(const char *file, json_t **ret);
/* The desired state in force, from the daemon. */
enum exit_status model_in_force(const struct call *call, bool state, struct model **ret);
/*
 * Posts a change (body, to which it adds) as a dry run first; asks where it moves more than limit per cent of
 * a pool's slots; then posts it again, and prints what happened to subject.
 */
enum exit_status change_ask_and_send(const struct call *call, const char *path, json_t *body, uint32_t limit,
				     const char *subject);
/* model_diff()'s list, a line an object: "+" came, "-" went, "~" changed. False: it is empty. */
bool differences_print(const json_t *differences);

#endif
