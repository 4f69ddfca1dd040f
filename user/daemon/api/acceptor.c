/* SPDX-License-Identifier: Apache-2.0 */
#include "acceptor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"

enum {
	BACKLOG = 1024, /* of the queue: who does not wait (libcurl, for one) gets EAGAIN where it is full */
	BURST = 16,     /* connections taken in one turn of the loop */
	SPARES = 4,     /* descriptors in reserve */
	CALM = 10000,   /* ms without a shortage until it is over */
};

struct acceptor {
	uv_poll_t arrivals;
	int fd;
	int spares[SPARES], spare_count;
	bool pauses;      /* until a descriptor is free */
	bool short_of;    /* descriptors; the log has a line that says so */
	int64_t short_at; /* when one was missing last */
	acceptor_admit admit;
	void *context;
};

/* The socket ----------------------------------------------------------------- */

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

/* Descriptors ---------------------------------------------------------------- */

unsigned long descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

static void fill_spares(struct acceptor *acceptor)
{
	while (acceptor->spare_count < SPARES) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return;
		acceptor->spares[acceptor->spare_count++] = fd;
	}
}

static void note_shortage(struct acceptor *acceptor)
{
	struct rlimit limit = {0};

	acceptor->short_at = clock_monotonic();
	if (acceptor->short_of)
		return;
	acceptor->short_of = true;
	getrlimit(RLIMIT_NOFILE, &limit);
	log_line(LOG_LEVEL_ERROR,
		 "no file descriptor is free (limit %lu): the API answers root alone; raise LimitNOFILE= in "
		 "the unit, or end processes that hold connections",
		 (unsigned long)limit.rlim_cur);
}

/* Arrivals ------------------------------------------------------------------- */

static int accept_one(const struct acceptor *acceptor)
{
	return accept4(acceptor->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Not knowing who it is, is not being root. */
static uid_t peer_of(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) ? (uid_t)-1 : peer.uid;
}

static void pause_arrivals(struct acceptor *acceptor)
{
	uv_poll_stop(&acceptor->arrivals);
	acceptor->pauses = true;
}

/* Takes one connection with a descriptor of the reserve. */
static void accept_from_reserve(struct acceptor *acceptor)
{
	int fd;

	note_shortage(acceptor);
	if (!acceptor->spare_count) {
		pause_arrivals(acceptor);
		return;
	}
	close(acceptor->spares[--acceptor->spare_count]);
	fd = accept_one(acceptor);
	if (fd >= 0 && !peer_of(fd)) {
		acceptor->admit(acceptor->context, fd, 0);
	} else if (fd >= 0) {
		client_turn_away(fd, -EMFILE, "the daemon has no file descriptor free",
				 "try again later, or run it as root");
		close(fd);
	}
	fill_spares(acceptor);
}

static void on_arrivals(uv_poll_t *poll, int status, int events)
{
	struct acceptor *acceptor = poll->data;

	(void)status;
	(void)events;
	for (int taken = 0; taken < BURST; taken++) {
		int fd = accept_one(acceptor);

		if (fd >= 0) {
			acceptor->admit(acceptor->context, fd, peer_of(fd));
		} else if (errno == EMFILE || errno == ENFILE) {
			accept_from_reserve(acceptor);
			return;
		} else if (errno == ENOMEM || errno == ENOBUFS) {
			pause_arrivals(acceptor);
			return;
		} else if (errno != EINTR && errno != ECONNABORTED) {
			return;
		}
	}
}

void acceptor_resume(struct acceptor *acceptor)
{
	fill_spares(acceptor);
	if (acceptor->short_of && clock_monotonic() - acceptor->short_at > CALM) {
		acceptor->short_of = false;
		log_line(LOG_LEVEL_NOTICE, "file descriptors are free again: the API answers all users");
	}
	if (!acceptor->pauses)
		return;
	acceptor->pauses = false;
	uv_poll_start(&acceptor->arrivals, UV_READABLE, on_arrivals);
}

int acceptor_open(uv_loop_t *loop, int fd, acceptor_admit admit, void *context, struct acceptor **ret)
{
	struct acceptor *acceptor = calloc(1, sizeof *acceptor);
	int error = acceptor ? uv_poll_init(loop, &acceptor->arrivals, fd) : -ENOMEM;

	if (error) {
		free(acceptor);
		close(fd);
		return error;
	}
	acceptor->arrivals.data = acceptor;
	acceptor->fd = fd;
	acceptor->admit = admit;
	acceptor->context = context;
	fill_spares(acceptor);
	uv_poll_start(&acceptor->arrivals, UV_READABLE, on_arrivals);
	*ret = acceptor;
	return 0;
}

static void free_acceptor(uv_handle_t *handle)
{
	free(handle->data);
}

void acceptor_close(struct acceptor *acceptor)
{
	if (!acceptor)
		return;
	uv_poll_stop(&acceptor->arrivals);
	close(acceptor->fd);
	while (acceptor->spare_count)
		close(acceptor->spares[--acceptor->spare_count]);
	uv_close((uv_handle_t *)&acceptor->arrivals, free_acceptor);
}
