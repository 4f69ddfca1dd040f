// SPDX-License-Identifier: Apache-2.0
/*
 * Keeping the pins of an open instance. Whoever removes a pin takes nothing away while this process runs: it
 * has a descriptor of every map, program and link, and pins them again.
 */
#include "lifecycle.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>
#include "kern/base/object.h"
#include "kern/base/pins.h"
#include "kern/maps/state.h"
#include "kern/program/held_links.h"
#include "kern/program/instance_pins.h"
#include "kern/xdp/gro.h"

/* Returns 1 if it had to be pinned: nothing was at path, or another object. */
static int pin_keep(int fd, const char *path)
{
	int there = pin_get(path), r;
	bool same;

	if (there < 0 && there != -ENOENT)
		return there;
	same = there >= 0 && object_number(there) == object_number(fd);
	if (there >= 0)
		close(there);
	if (same)
		return 0;
	r = pin_put(fd, path);
	return r ?: 1;
}

/* One that was detached, or whose interface is gone, holds nothing that a pin could keep. */
static bool link_is_attached(const struct held_link *held)
{
	struct bpf_link_info info;

	return !object_info(held->fd, &info, sizeof info) && info.xdp.ifindex;
}

static int links_keep(struct dataplane *dataplane, char path[PIN_PATH])
{
	int made = 0, r = links_hold(dataplane);

	for (size_t i = 0; r >= 0 && i < HF_MAX_LINKS; i++) {
		struct held_link *held = &dataplane->held[i];

		if (held->id && !link_is_attached(held))
			held_link_release(held);
		if (!held->id)
			continue;
		r = pins_make_directory(instance_path(dataplane->instance, "links", path));
		if (!r)
			r = pin_keep(held->fd, held_link_path(dataplane, held->pinned, path));
		made += r > 0;
		if (r > 0 && held->gro)
			r = gro_note(path);
	}
	return r < 0 ? r : made;
}

int dataplane_pins_keep(struct dataplane *dataplane, struct refusal *refusal)
{
	char path[PIN_PATH];
	int made = instance_pins_keep(dataplane, pin_keep, path), links;

	if (made < 0)
		return pins_refuse(made, path, refusal);
	links = links_keep(dataplane, path);
	return links < 0 ? pins_refuse(links, path, refusal) : made + links;
}
