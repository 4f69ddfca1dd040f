/* SPDX-License-Identifier: Apache-2.0 */
/* Loading the embedded object, on an instance's maps. */
#pragma once

#include "kern/base/object.h"
#include "kern/maps/dataplane.h"

struct lb;

/* XXH64 of the whole object, which control_stamp() notes in the control map. */
uint64_t object_digest(void);
/* Whether the pinned programs are of another build than the ones embedded here. */
bool dataplane_outdated(const struct dataplane *dataplane);
/* The embedded object while it is loaded. */
struct embedded {
	struct object_log log;
	struct lb *object;
};
/* Opens it with its maps bound to those of the instance that are open already. To be closed, error or not. */
int embedded_open(const struct dataplane *dataplane, struct embedded *ret);
/* Loads it unless there is an error already. Returns 0 or the error, with *refusal filled. */
int embedded_load(struct embedded *embedded, int error, struct refusal *refusal);
void embedded_close(struct embedded *embedded);
/* Loads the programs; maps that are open already are used as they are. */
int programs_load(struct dataplane *dataplane, const struct dataplane_limits *limits,
		  struct refusal *refusal);
/* Learns the numbers and tags of the programs that are open. */
int programs_describe(struct dataplane *dataplane);

/* selftest.c: sends golden packets through the embedded program, on maps of its own. -ENOEXEC: it does not do
 * what it should, as the refusal says. */
int selftest_run(struct refusal *refusal);
