/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds the lock that writers need. SQLite locks a byte of the file "-shm"
 * (https://www.sqlite.org/walformat.html, 2.3.1), and the kernel tells whose lock it is. The descriptor stays
 * open as long as the database: to close one gives up every lock that this process has on the file
 * (fcntl(2)).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store_private.h"

enum { WRITE_LOCK = 120 };

static pid_t find_holder(struct store *store)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = WRITE_LOCK, .l_len = 1};
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

void store_lock_holder(struct store *store, char *text, size_t room)
{
	pid_t process = find_holder(store);
	char command[32];

	if (process > 0) {
		read_command(process, command);
		snprintf(text, room, "%s (process %d)", command, (int)process);
	} else {
		snprintf(text, room, "another process");
	}
}
