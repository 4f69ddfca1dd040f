/* SPDX-License-Identifier: Apache-2.0 */
/* What an instance is attached to. */
#pragma once

#include "kern/base/pins.h"
#include "kern/maps/dataplane.h"
#include "kern/xdp/attachment.h"

/* Calls visit for each attachment until it returns non-zero, which is returned. Attachments whose interface
 * is gone are unpinned on the way. */
int dataplane_attachments(struct dataplane *dataplane, int (*visit)(const struct attachment *, void *),
			  void *context);
/* The interface (ifindex) that has the instance's only attachment; 0: none or several. */
uint32_t attachment_only(struct dataplane *dataplane);
int attachments_any(const char *instance); /* 1: there are some */
int links_detach_all(const char *instance);

struct link_search {
	const char *interface; /* what is looked for */
	struct attachment found;
	char path[PIN_PATH]; /* of its pin */
};
/* 1: found; 0: no pinned link is the interface's; or a negative errno. */
int link_find_pinned(const char *instance, struct link_search *search);
const char *link_path(const char *instance, const char *interface, char path[PIN_PATH]);
