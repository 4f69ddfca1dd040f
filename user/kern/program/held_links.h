/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Held links: a process that changes an instance holds a descriptor of every pinned link. So an attachment
 * outlives its pin.
 */
#pragma once

#include "kern/base/pins.h"
#include "kern/maps/dataplane.h"
#include "kern/xdp/attachment.h"

/* Where a link is pinned by that name, which is encoded already. */
const char *held_link_path(const struct dataplane *dataplane, const char *pinned, char path[PIN_PATH]);
int links_hold(struct dataplane *dataplane); /* every pinned link */
/* Calls visit for those that are attached and have no pin. */
int links_unpinned(struct dataplane *dataplane, int (*visit)(const struct attachment *, void *),
		   void *context);
/* Detaches those of them that answer to the name. -ENOENT: none does. */
int links_let_go(struct dataplane *dataplane, const char *interface);
