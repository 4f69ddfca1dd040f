/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What time alone changes: graces and deadlines that end, slots that settle, backends that are drained and
 * leave, numbers that no flow carries any more.
 */
#pragma once

#include "daemon/instance.h"

/* Brings the data plane to what the model in force says by now; no generation of its own. 0, -ENOSPC,
 * -ENOMEM. */
int refresh_image(struct instance *instance);
/* Does what is due. Once a second. */
void refresh_tick(struct instance *instance);
