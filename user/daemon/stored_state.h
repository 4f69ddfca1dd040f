/* SPDX-License-Identifier: Apache-2.0 */
/* What the store holds of an instance, at a start. */
#ifndef HOLDFAST_STORED_STATE_H
#define HOLDFAST_STORED_STATE_H

#include "instance.h"

/* Opens the store, and with it the instance's clock. 0, or a negative errno with *refusal filled;
 * -ENOTRECOVERABLE: see recovery.h. */
int stored_state_open(struct instance *instance, struct refusal *refusal);
/* Reads what is in force: the last generation with its ledger, and the facts. An instance that has no
 * generation gets its first, an empty model with a seed. */
int stored_state_load(struct instance *instance, struct refusal *refusal);

#endif
