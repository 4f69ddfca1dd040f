/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file: applied at start unless it is what was last applied, by whomever, and at SIGHUP. */
#pragma once

#include "daemon/instance.h"

/* Reads and parses a file into what model.apply takes (new reference). 0, or a negative errno with *refusal
 * filled; -ENOENT: there is no such file, or it names what is not there. */
int configuration_read(const char *path, json_t **ret, struct refusal *refusal);
/*
 * Reads and applies options->config (no file: nothing to do). again: also if it is what was last applied. A
 * file that is refused leaves the last generation in force; instance->configuration_problem then says why,
 * for `status`.
 */
void configuration_apply(struct instance *instance, bool again);
/*
 * Takes note that this configuration, as model.apply takes it, is what was last applied: a file that says the
 * same, in whatever order and with whatever comments, is not applied again at the next start. 0, or a
 * negative errno with *refusal filled.
 */
int configuration_note(struct instance *instance, const json_t *configuration, struct refusal *refusal);
