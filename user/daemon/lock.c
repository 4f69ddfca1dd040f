/* SPDX-License-Identifier: Apache-2.0 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_busy(int fd, const char *path, const char *instance, struct refusal *refusal)
{
	char owner[32] = "";
	ssize_t length = pread(fd, owner, sizeof owner - 1, 0);

	owner[length > 0 ? strcspn(owner, "\n") : 0] = '\0';
	refuse(refusal, -EBUSY, "instance %s is already served by process %s", instance, owner);
	refusal_where(refusal, "%s", path);
	refusal_right(refusal, "stop that one first, or start another with --instance NAME");
	return -EBUSY;
}

int lock_take(const char *directory, const char *instance, int *ret_fd, struct refusal *refusal)
{
	char path[PATH_MAX];
	int fd, error;

	if (mkdir(directory, 0755) && errno != EEXIST)
		return refuse(refusal, -errno, "cannot make %s: %s", directory, strerror(errno));
	if (snprintf(path, sizeof path, "%s/%s.lock", directory, instance) >= (int)sizeof path)
		return refuse(refusal, -ENAMETOOLONG, "%s is too long a path", directory);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return refuse(refusal, -errno, "cannot open %s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		error = errno == EWOULDBLOCK
				? refuse_busy(fd, path, instance, refusal)
				: refuse(refusal, -errno, "cannot lock %s: %s", path, strerror(errno));
		close(fd);
		return error;
	}
	if (ftruncate(fd, 0) || dprintf(fd, "%d\n", (int)getpid()) < 0) {
		error = refuse(refusal, -errno, "cannot write %s: %s", path, strerror(errno));
		close(fd);
		return error;
	}
	*ret_fd = fd;
	return 0;
}
