/* SPDX-License-Identifier: Apache-2.0 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "event_log.h"
#include "kern/instance/lifecycle.h"

enum { ATTEMPTS = 100, PAUSE = 20 * 1000 * 1000 /* ns */ };

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

static int lock_file(int fd, const char *path, const char *instance, struct refusal *refusal)
{
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK
			       ? refuse_busy(fd, path, instance, refusal)
			       : refuse(refusal, -errno, "cannot lock %s: %s", path, strerror(errno));
	if (ftruncate(fd, 0) || dprintf(fd, "%d\n", (int)getpid()) < 0)
		return refuse(refusal, -errno, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

/* Takes directory/INSTANCEsuffix. */
static int take_file(const char *directory, mode_t mode, const char *instance, const char *suffix,
		     int *ret_fd, struct refusal *refusal)
{
	char path[PATH_MAX];
	int fd, error;

	if (mkdir(directory, mode) && errno != EEXIST)
		return refuse(refusal, -errno, "cannot make %s: %s", directory, strerror(errno));
	if (snprintf(path, sizeof path, "%s/%s%s", directory, instance, suffix) >= (int)sizeof path)
		return refuse(refusal, -ENAMETOOLONG, "%s is too long a path", directory);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return refuse(refusal, -errno, "cannot open %s: %s", path, strerror(errno));
	error = lock_file(fd, path, instance, refusal);
	if (error)
		close(fd);
	else
		*ret_fd = fd;
	return error;
}

static int take_database(const struct options *options, int *ret_fd, struct refusal *refusal)
{
	return take_file(options->state_directory, 0750, options->instance, ".db.lock", ret_fd, refusal);
}

static int take_pins(const struct options *options, int *ret_fd, struct refusal *refusal)
{
	return dataplane_claim(options->instance, ret_fd, refusal);
}

static int take_patiently(int (*take)(const struct options *, int *, struct refusal *),
			  const struct options *options, int *ret_fd, struct refusal *refusal)
{
	int error = take(options, ret_fd, refusal);

	for (int i = 1; error == -EBUSY && i < ATTEMPTS; i++) {
		nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
		error = take(options, ret_fd, refusal);
	}
	return error;
}

int locks_take(const struct options *options, struct locks *ret, struct refusal *refusal)
{
	struct locks locks = {-1, -1, -1};
	int error = take_file(options->runtime_directory, 0755, options->instance, ".lock", &locks.runtime,
			      refusal);

	if (!error)
		error = take_patiently(take_database, options, &locks.database, refusal);
	if (!error)
		error = take_patiently(take_pins, options, &locks.pins, refusal);
	if (error)
		locks_release(&locks);
	else
		*ret = locks;
	return error;
}

static void lock_release(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void locks_release(struct locks *locks)
{
	lock_release(&locks->pins);
	lock_release(&locks->database);
	lock_release(&locks->runtime);
}

/* The pins --------------------------------------------------------------------- */

static void note_pins(const struct hold *hold, int made, const struct refusal *problem)
{
	const char *name = hold->options->instance;
	char text[REFUSAL_TEXT];

	if (problem->what[0] && strcmp(problem->what, hold->problem.what))
		event_note(LOG_LEVEL_ERROR, "pins", name, "%s", refusal_text(problem, text));
	if (made > 0)
		event_note(LOG_LEVEL_WARNING, "pins", name,
			   "%d pins had been removed or replaced: the daemon made them again, and forwarding "
			   "went on",
			   made);
}

/* The lock comes first: what is made before could become another process's. */
int hold_renew(struct hold *hold, struct dataplane *dataplane)
{
	struct refusal problem = {0};
	int made = 0, error = 0;

	if (!hold->locks)
		return 0;
	error = dataplane_claim_renew(hold->options->instance, &hold->locks->pins, &problem);
	if (!error)
		made = dataplane_pins_keep(dataplane, &problem);
	note_pins(hold, made, &problem);
	hold->problem = problem;
	return error == -EBUSY ? error : 0;
}
