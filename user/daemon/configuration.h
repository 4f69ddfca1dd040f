/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file: applied at start unless it is what was last applied, and at SIGHUP. */
#ifndef HOLDFAST_CONFIGURATION_H
#define HOLDFAST_CONFIGURATION_H

#include "instance.h"

/*
 * Reads and applies options->config (no file: nothing to do). again: also if it is what was last applied. A
 * file that is refused leaves the last generation in force; instance->configuration_problem then says why,
 * for `status`.
 */
void configuration_apply(struct instance *instance, bool again);

#endif
