/* SPDX-License-Identifier: Apache-2.0 */
/* Upkeep of the database while the daemon runs. */
#ifndef HOLDFAST_UPKEEP_H
#define HOLDFAST_UPKEEP_H

#include "instance.h"

/* Once a second: finds out whether it can be written, notes the clock and forgets what is old. */
void upkeep_tick(struct instance *instance);
/* Writes it anew if somebody removed it: the open file still has all of it. */
void upkeep_save(struct instance *instance);

#endif
