/* SPDX-License-Identifier: Apache-2.0 */
/* Loading the embedded object, on an instance's maps. */
#ifndef HOLDFAST_LOAD_H
#define HOLDFAST_LOAD_H

#include "kern/base/object.h"
#include "kern/maps/dataplane.h"

struct lb;

/* XXH64 of the whole object, which control_stamp() notes in the control map. */
uint64_t object_digest(void);
/* Whether the pinned programs are of another build than the ones embedded here. */
bool dataplane_outdated(const struct dataplane *dataplane);
/* Opens the embedded object with its maps bound to those of the instance that are open already. */
int object_open(const struct dataplane *dataplane, const struct object_log *log, struct lb **ret);
/* Loads the programs; maps that are open already are used as they are. */
int programs_load(struct dataplane *dataplane, const struct dataplane_limits *limits,
		  struct refusal *refusal);

#endif
