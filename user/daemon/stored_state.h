/* SPDX-License-Identifier: Apache-2.0 */
/* What the store holds of an instance: read at a start, and kept up while the daemon runs. */
#pragma once

#include "instance.h"

/* Opens the store, and with it the instance's clock. 0, or a negative errno with *refusal filled;
 * -ENOTRECOVERABLE: see recovery.h. */
int stored_state_open(struct instance *instance, struct refusal *refusal);
/* Reads what is in force: the last generation with its ledger, and the facts. An instance that has no
 * generation gets its first, an empty model with a seed. */
int stored_state_load(struct instance *instance, struct refusal *refusal);

/* Once a second: finds out whether it can be written, notes the clock and forgets what is old. */
void upkeep_tick(struct instance *instance);
/* Writes it anew if somebody removed it: the open file still has all of it. */
void upkeep_save(struct instance *instance);
