/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which other process is in the way. SQLite locks bytes of the file "-shm", one for the writer and five for
 * readers (https://www.sqlite.org/walformat.html, 2.3.1), and the kernel tells whose lock it is. The
 * descriptor stays open as long as the database: to close one gives up every lock that this process has on
 * the file (fcntl(2)).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store_private.h"

static const struct {
	off_t begin, length;
} locks[] = {[STORE_WRITER] = {120, 1}, [STORE_READERS] = {123, 5}};

static pid_t find_holder(struct store *store, enum store_lock which)
{
	struct flock lock = {.l_type = F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = locks[which].begin,
			     .l_len = locks[which].length};
	char name[PATH_MAX + sizeof "-shm"];

	snprintf(name, sizeof name, "%s-shm", store->path);
	if (store->index < 0)
		store->index = open(name, O_RDWR | O_CLOEXEC);
	if (store->index < 0 || fcntl(store->index, F_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

static void read_command(pid_t process, char command[32])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
	file = fopen(path, "re");
	if (!file || !fgets(command, 32, file))
		strcpy(command, "another process");
	command[strcspn(command, "\n")] = '\0';
	if (file)
		fclose(file);
}

void store_lock_holder(struct store *store, enum store_lock which, char *text, size_t room)
{
	pid_t process = find_holder(store, which);
	char command[32];

	if (process > 0) {
		read_command(process, command);
		snprintf(text, room, "%s (process %d)", command, (int)process);
	} else {
		snprintf(text, room, "another process");
	}
}
