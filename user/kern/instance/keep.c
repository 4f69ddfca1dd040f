// SPDX-License-Identifier: Apache-2.0
/*
 * Keeping the pins of an open instance. Whoever removes a pin takes nothing away while this process runs: it
 * has a descriptor of every map, program and link, and pins them again.
 */
#include "kern/maps/state.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "attach.h"
#include "kern/xdp/gro.h"
#include "kern/base/pins.h"

/* What the kernel tells first of a map, a program and a link alike. */
static uint32_t object_number(int fd)
{
	struct {
		uint32_t type, id;
	} info = {};
	uint32_t length = sizeof info;

	return bpf_obj_get_info_by_fd(fd, &info, &length) ? 0 : info.id;
}

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
	char path[PIN_PATH], name[PIN_NAME];
	struct held_link *held;
	uint32_t id;
	int fd = pin_get(pin_path(path, "%s/links/%s", pin_encode(dataplane->instance, name), pinned));

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	id = object_number(fd);
	held = link_held(dataplane, id);
	if (!held && (held = link_held(dataplane, 0)))
		*held = (struct held_link){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3), .id = id};
	if (held) {
		snprintf(held->pinned, sizeof held->pinned, "%s", pinned);
		held->gro = held->gro || gro_held(path);
	}
	close(fd);
	return 0;
}

int links_hold(struct dataplane *dataplane)
{
	char path[PIN_PATH], name[PIN_NAME];
	int r;

	if (!dataplane->writable)
		return 0;
	r = pins_each(pin_path(path, "%s/links", pin_encode(dataplane->instance, name)), hold_one, dataplane);
	return r == -ENOENT ? 0 : r;
}

static void link_release(struct held_link *held)
{
	if (held->id)
		close(held->fd);
	*held = (struct held_link){};
}

void links_release(struct dataplane *dataplane)
{
	for (size_t i = 0; i < HF_MAX_LINKS; i++)
		link_release(&dataplane->held[i]);
}

/* One that was detached, or whose interface is gone, holds nothing that a pin could keep. */
static bool link_is_attached(const struct held_link *held)
{
	struct bpf_link_info info = {};
	uint32_t length = sizeof info;

	return !bpf_obj_get_info_by_fd(held->fd, &info, &length) && info.xdp.ifindex;
}

static int links_keep(struct dataplane *dataplane, char path[PIN_PATH])
{
	char name[PIN_NAME];
	int made = 0, r = links_hold(dataplane);

	for (size_t i = 0; r >= 0 && i < HF_MAX_LINKS; i++) {
		struct held_link *held = &dataplane->held[i];

		if (held->id && !link_is_attached(held))
			link_release(held);
		if (!held->id)
			continue;
		r = pins_make_directory(pin_path(path, "%s/links", pin_encode(dataplane->instance, name)));
		if (!r)
			r = pin_keep(held->fd, pin_path(path, "%s/links/%s", name, held->pinned));
		made += r > 0;
		if (r > 0 && held->gro)
			r = gro_note(path);
	}
	return r < 0 ? r : made;
}

/* 0: it is attached and has no pin. */
static int unpinned(const struct dataplane *dataplane, const struct held_link *held, struct attachment *ret)
{
	char path[PIN_PATH], name[PIN_NAME];
	int r;

	pin_path(path, "%s/links/%s", pin_encode(dataplane->instance, name), held->pinned);
	if (!held->id || !access(path, F_OK))
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

int dataplane_pins_keep(struct dataplane *dataplane, struct refusal *refusal)
{
	char path[PIN_PATH];
	int made = instance_pins_keep(dataplane, pin_keep, path), links;

	if (made < 0)
		return pins_refuse(made, path, refusal);
	links = links_keep(dataplane, path);
	return links < 0 ? pins_refuse(links, path, refusal) : made + links;
}
