// SPDX-License-Identifier: Apache-2.0
/* The pins of an instance from its claim to its end: one process has them, keeps them, and takes them away.
 */
#include "lifecycle.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attachments.h"
#include "kern/base/object.h"
#include "kern/base/pins.h"
#include "kern/maps/state.h"
#include "kern/neighbour/neighbours.h"
#include "kern/program/held_links.h"
#include "kern/program/instance_pins.h"
#include "kern/xdp/gro.h"

/* The claim: a lock on the pins' directory, which all processes that reach them share --------- */

enum { ATTEMPTS = 100 };

static bool is_at(int fd, const char *path)
{
	struct stat held, found;

	return !fstat(fd, &held) && !stat(path, &found) && held.st_dev == found.st_dev &&
	       held.st_ino == found.st_ino;
}

static int refuse_claimed(const char *instance, const char *path, struct refusal *refusal)
{
	refuse(refusal, 0, "instance %s is already served by another process", instance);
	refusal_where(refusal, "%s", path);
	refusal_right(refusal, "stop that one first (it has other directories or runs in a container), or "
			       "start another with --instance NAME");
	return -EBUSY;
}

static int lock_directory(const char *path, int *ret_fd)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), r = 0;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB))
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (!is_at(fd, path))
		r = -ENOENT; /* removed, and perhaps made again, between the two calls */
	if (r)
		close(fd);
	else
		*ret_fd = fd;
	return r;
}

int dataplane_claim(const char *instance, int *ret_fd, struct refusal *refusal)
{
	char path[PIN_PATH];
	int r = pins_mount(refusal);

	if (r)
		return r;
	instance_path(instance, NULL, path);
	r = -ENOENT;
	for (int i = 0; r == -ENOENT && i < ATTEMPTS; i++) {
		r = pins_make_directory(path);
		if (!r)
			r = lock_directory(path, ret_fd);
	}
	if (r == -EBUSY)
		return refuse_claimed(instance, path, refusal);
	return r ? pins_refuse(r, path, refusal) : 0;
}

int dataplane_claim_renew(const char *instance, int *fd, struct refusal *refusal)
{
	char path[PIN_PATH];
	int next, r;

	if (is_at(*fd, instance_path(instance, NULL, path)))
		return 0;
	r = dataplane_claim(instance, &next, refusal);
	if (r)
		return r;
	close(*fd);
	*fd = next;
	return 0;
}

/*
 * Whoever removes a pin takes nothing away while this process runs: it has a descriptor of every map, program
 * and link, and pins them again ---------------------------------------------------------------
 */

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

/* The end: what the instance made on this host is taken away ---------------------------------- */

static int pin_seen(const char *name, void *context)
{
	(void)name;
	(void)context;
	return 1;
}

/* A directory that the unit made is not this process's to remove; it stays, empty. */
static int directory_remove(const char *path)
{
	int r = pins_remove(path);

	return r == -EACCES && !pins_each(path, pin_seen, NULL) ? 0 : r;
}

int dataplane_destroy(const char *instance, struct refusal *refusal)
{
	char path[PIN_PATH];
	int r = instance_check(instance, refusal);

	if (r)
		return r;
	r = links_detach_all(instance);
	if (!r)
		r = directory_remove(instance_path(instance, NULL, path));
	if (r)
		return refuse(refusal, r, "instance %s cannot be removed: %s", instance, strerror(-r));
	rmdir(PINS); /* stays while another instance or a receiver has pins */
	return 0;
}

int dataplane_leave(const char *instance, struct refusal *refusal)
{
	int r = attachments_any(instance);

	if (r < 0)
		return refuse(refusal, r, "the attachments of instance %s cannot be read: %s", instance,
			      strerror(-r));
	if (r)
		return 0;
	r = dataplane_destroy(instance, refusal);
	if (!r)
		neighbours_forget(NEIGHBOUR_KEPT);
	return r ?: 1;
}
