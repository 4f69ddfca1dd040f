/* SPDX-License-Identifier: Apache-2.0 */
#include "listen.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Who does not wait (libcurl, for one) gets EAGAIN where the queue is full. */
enum { BACKLOG = 1024 };

/* Nobody can connect before listen(): owner and mode are right by then. */
static int give_to_group(const char *path)
{
	struct group *group = getgrnam("holdfast");

	if (group && chown(path, -1, group->gr_gid) && errno != EPERM)
		return -errno;
	return chmod(path, 0660) ? -errno : 0;
}

int listen_open(const char *path, int *ret_fd, struct refusal *refusal)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, error = 0;

	if (strlen(path) >= sizeof address.sun_path)
		return refuse(refusal, -ENAMETOOLONG, "%s is too long for a socket's path", path);
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return refuse(refusal, -errno, "cannot make a socket: %s", strerror(errno));
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof address))
		error = -errno;
	if (!error)
		error = give_to_group(path);
	if (!error && listen(fd, BACKLOG))
		error = -errno;
	if (error) {
		close(fd);
		return refuse(refusal, error, "cannot listen on %s: %s", path, strerror(-error));
	}
	*ret_fd = fd;
	return 0;
}
