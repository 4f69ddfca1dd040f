/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What time alone changes: graces and deadlines that end, slots that settle, backends that are drained and
 * leave, numbers that no flow carries any more.
 */
#ifndef HOLDFAST_REFRESH_H
#define HOLDFAST_REFRESH_H

#include "daemon/instance.h"

/* Brings the data plane to what the model in force says by now; no generation of its own. 0, -ENOSPC,
 * -ENOMEM. */
int refresh_image(struct instance *instance);
/*
 * Releases what was retired and is carried by nobody any more: numbers, services, ranges of counters. Whether
 * it could be told: a count of flows must be late enough for it (evidence.h).
 */
bool refresh_numbers(struct instance *instance);
/* Does what is due. Once a second. */
void refresh_tick(struct instance *instance);

#endif
