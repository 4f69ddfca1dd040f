// SPDX-License-Identifier: Apache-2.0
#include "held_links.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "kern/base/object.h"
#include "kern/base/pins.h"
#include "kern/maps/state.h"
#include "kern/xdp/gro.h"

const char *held_link_path(const struct dataplane *dataplane, const char *pinned, char path[PIN_PATH])
{
	char name[PIN_NAME];

	return pin_path(path, "%s/links/%s", pin_encode(dataplane->instance, name), pinned);
}

static struct held_link *link_held(struct dataplane *dataplane, uint32_t id)
{
	for (size_t i = 0; i < HF_MAX_LINKS; i++) {
		if (dataplane->held[i].id == id)
			return &dataplane->held[i];
	}
	return NULL;
}

static int hold_one(const char *pinned, void *context)
{
	struct dataplane *dataplane = context;
	char path[PIN_PATH];
	struct held_link *held;
	uint32_t id;
	int fd = pin_get(held_link_path(dataplane, pinned, path));

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	id = object_number(fd);
	held = link_held(dataplane, id);
	if (!held && (held = link_held(dataplane, 0)))
		*held = (struct held_link){.fd = descriptor_copy(fd), .id = id};
	if (held) {
		snprintf(held->pinned, sizeof held->pinned, "%s", pinned);
		held->gro = held->gro || gro_held(path);
	}
	close(fd);
	return 0;
}

int links_hold(struct dataplane *dataplane)
{
	char path[PIN_PATH];
	int r;

	if (!dataplane->writable)
		return 0;
	r = pins_each(instance_path(dataplane->instance, "links", path), hold_one, dataplane);
	return r == -ENOENT ? 0 : r;
}

/* 0: it is attached and has no pin. */
static int unpinned(const struct dataplane *dataplane, const struct held_link *held, struct attachment *ret)
{
	char path[PIN_PATH], name[PIN_NAME];
	int r;

	if (!held->id || !access(held_link_path(dataplane, held->pinned, path), F_OK))
		return -ENOENT;
	r = xdp_attachment_of(held->fd, ret);
	if (r && r != -EXDEV)
		return r;
	attachment_label(ret, pin_decode(held->pinned, name), r == -EXDEV);
	return 0;
}

int links_unpinned(struct dataplane *dataplane, int (*visit)(const struct attachment *, void *),
		   void *context)
{
	struct attachment attachment;
	int r = 0;

	for (size_t i = 0; !r && i < HF_MAX_LINKS; i++) {
		if (!unpinned(dataplane, &dataplane->held[i], &attachment))
			r = visit(&attachment, context);
	}
	return r;
}

int links_let_go(struct dataplane *dataplane, const char *interface)
{
	struct attachment attachment;
	int r = -ENOENT;

	for (size_t i = 0; i < HF_MAX_LINKS; i++) {
		struct held_link *held = &dataplane->held[i];

		if (unpinned(dataplane, held, &attachment) || !attachment_answers_to(&attachment, interface))
			continue;
		r = bpf_link_detach(held->fd) && errno != ENOLINK ? -errno : 0;
	}
	return r;
}
