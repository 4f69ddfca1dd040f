// SPDX-License-Identifier: Apache-2.0
/* One owner of an instance's pins: a lock on their directory, which all processes that reach them share. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "kern/base/pins.h"
#include "lifecycle.h"

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
