/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of this build in the place of the pinned ones. */
#pragma once

#include "kern/maps/dataplane.h"

/*
 * Puts the embedded programs in the place of the pinned ones, atomically for every packet, flows and all:
 * tried with golden packets first; maps stay, or are migrated where their entries have grown; or it is
 * refused and nothing has changed. 0: done, and an open struct dataplane needs dataplane_refresh(). 1: done,
 * and maps were replaced: close and open again. -ENOEXEC, -EPROTO, -ENOENT.
 */
int dataplane_upgrade(const char *instance, struct refusal *refusal);
