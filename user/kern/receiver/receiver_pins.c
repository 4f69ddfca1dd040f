// SPDX-License-Identifier: Apache-2.0
#include "receiver_pins.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 1000, LOCK_PAUSE = 10000 /* microseconds */ };

const char *const receiver_maps[RECEIVER_MAPS] = {"prefixes", "vips",      "verdicts", "ways",
						  "secret",   "addresses", "macs"};

const char *receiver_path(const char *interface, const char *what, char path[PIN_PATH])
{
	struct stat status = {};
	char name[PIN_NAME];

	stat("/proc/self/ns/net", &status);
	if (!interface)
		return pin_path(path, "receiver/%lu", (unsigned long)status.st_ino);
	return pin_path(path, "receiver/%lu/%s%s%s", (unsigned long)status.st_ino,
			pin_encode(interface, name), what ? "/" : "", what ?: "");
}

int receiver_pin_get(const char *interface, const char *what)
{
	char path[PIN_PATH];

	return pin_get(receiver_path(interface, what, path));
}

int receiver_attachment(const char *interface, struct attachment *ret)
{
	char path[PIN_PATH];

	return xdp_attachment(receiver_path(interface, "link", path), ret);
}

int receiver_about_read(const char *interface, struct receiver_about *ret)
{
	uint32_t zero = 0;
	int fd = receiver_pin_get(interface, "about"), r;

	if (fd < 0)
		return fd;
	r = bpf_map_lookup_elem(fd, &zero, ret) ? -errno : 0;
	close(fd);
	return r;
}

/* What interfaces left behind -------------------------------------------------------------- */

int receivers_lock(void)
{
	char path[PIN_PATH];
	int fd = open(pin_path(path, "receiver"), O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;

	if (fd < 0)
		return -errno;
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
		if (r != -EBUSY || i == LOCK_TRIES) {
			close(fd);
			return r;
		}
		usleep(LOCK_PAUSE);
	}
	return fd;
}

void receivers_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

static int sweep_interface(const char *name, void *context)
{
	char path[2 * PIN_PATH];
	struct attachment attachment;

	snprintf(path, sizeof path, "%s/%s/link", (const char *)context, name);
	if (xdp_attachment(path, &attachment) != -ENODEV)
		return 0;
	*strrchr(path, '/') = '\0';
	return pins_remove(path);
}

static int sweep_namespace(const char *name, void *context)
{
	char path[PIN_PATH];

	(void)context;
	pins_each(pin_path(path, "receiver/%s", name), sweep_interface, path);
	rmdir(path); /* stays while it has a receiver */
	return 0;
}

void receivers_sweep(void)
{
	char path[PIN_PATH];

	pins_each(pin_path(path, "receiver"), sweep_namespace, NULL);
}

/* Pins that are in the way stay: two interfaces may have exchanged their names. */
static int follow_one(const char *pinned, void *context)
{
	char before[PIN_PATH], after[PIN_PATH], name[PIN_NAME];
	struct attachment attachment;

	(void)context;
	pin_decode(pinned, name);
	if (!receiver_attachment(name, &attachment) && strcmp(name, attachment.interface))
		rename(receiver_path(name, NULL, before), receiver_path(attachment.interface, NULL, after));
	return 0;
}

void receivers_follow_names(void)
{
	char path[PIN_PATH];

	pins_each(receiver_path(NULL, NULL, path), follow_one, NULL);
}

void receiver_forget(const char *interface)
{
	struct attachment attachment;
	char path[PIN_PATH];
	int lock = receivers_lock();

	if (lock >= 0 && receiver_attachment(interface, &attachment) == -ENODEV)
		pins_remove(receiver_path(interface, NULL, path));
	receivers_unlock(lock);
}
