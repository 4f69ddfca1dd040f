/* SPDX-License-Identifier: Apache-2.0 */
/* The pins of one instance: its maps and programs. */
#pragma once

#include "kern/base/pins.h"
#include "kern/maps/dataplane.h"

/* Opens what is pinned. 0: everything; -ENOENT: some or all of it is missing (*ret_maps: but no map is). */
int instance_pins_open(struct dataplane *dataplane, bool *ret_maps);
void instance_pins_close(struct dataplane *dataplane);
/* What the control map says, also if its layout is another. */
int control_peek(int fd, struct hf_control *ret);
/* Says in the control map whose it is: layout, digest of the object; and gives the flow table its seed. */
int control_stamp(struct dataplane *dataplane);
/* Pins every open map and program in the place of what was pinned. */
int instance_pins_put(const struct dataplane *dataplane, struct refusal *refusal);
/* Calls keep for each of them, which returns 1 where it made a pin. Returns how many were made, or the error
 * of the one at path. */
int instance_pins_keep(const struct dataplane *dataplane, int (*keep)(int fd, const char *path),
		       char path[PIN_PATH]);
/* Takes note of programs that were upgraded meanwhile. */
int dataplane_refresh(struct dataplane *dataplane);
