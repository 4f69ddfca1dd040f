/* SPDX-License-Identifier: Apache-2.0 */
/* Whole configurations: from a file or a generation, to the desired state. */
#ifndef HOLDFAST_CLI_APPLY_H
#define HOLDFAST_CLI_APPLY_H

#include <jansson.h>

#include "../core/model.h"
#include "../core/model_diff.h"
#include "request.h"

/* Reads a configuration file ("-": standard input). New reference; complains where it fails. */
enum exit_status configuration_read(const char *file, json_t **ret);
/* The desired state in force, from the daemon. */
enum exit_status model_in_force(const struct call *call, bool state, struct model **ret);
/* Makes configuration (borrowed) the desired state; asks first where it moves much. */
enum exit_status configuration_apply(const struct call *call, json_t *configuration, const char *subject);
/* A line an object that differs: "+" came, "-" went, "~" changed. False: none does. */
bool model_diff_print(const struct model *before, const struct model *after);

#endif
