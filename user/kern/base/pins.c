// SPDX-License-Identifier: Apache-2.0
#include "pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { ATTEMPTS = 10 };

static const char *translate(const char *from, char name[PIN_NAME], char old, char new)
{
	snprintf(name, PIN_NAME, "%s", from);
	for (char *c = name; *c; c++) {
		if (*c == old)
			*c = new;
	}
	return name;
}

const char *pin_encode(const char *plain, char name[PIN_NAME])
{
	return translate(plain, name, '.', ':');
}

const char *pin_decode(const char *pinned, char name[PIN_NAME])
{
	return translate(pinned, name, ':', '.');
}

int pins_mount(struct refusal *refusal)
{
	struct statfs fs;
	int error;

	if (!statfs(BPFFS, &fs) && fs.f_type == BPF_FS_MAGIC)
		return 0;
	if (!mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700"))
		return 0;
	error = errno;
	refuse(refusal, 0, "no BPF file system at " BPFFS ", and it cannot be mounted: %s", strerror(error));
	refusal_right(refusal, "mount -t bpf bpf " BPFFS ", as root in the host's mount namespace");
	return -error;
}

const char *pin_path(char path[PIN_PATH], const char *format, ...)
{
	int length = snprintf(path, PIN_PATH, PINS "/");
	va_list args;

	va_start(args, format);
	vsnprintf(path + length, PIN_PATH - length, format, args);
	va_end(args);
	return path;
}

const char *instance_path(const char *instance, const char *what, char path[PIN_PATH])
{
	char name[PIN_NAME];

	return pin_path(path, "%s%s%s", pin_encode(instance, name), what ? "/" : "", what ?: "");
}

static int make_directories(const char *path)
{
	char part[PIN_PATH];

	snprintf(part, sizeof part, "%s", path);
	for (char *slash = part + strlen(BPFFS) + 1; slash; slash = strchr(slash + 1, '/')) {
		if (*slash != '/')
			continue;
		*slash = '\0';
		if (mkdir(part, 0700) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(part, 0700) && errno != EEXIST ? -errno : 0;
}

int pins_make_directory(const char *path)
{
	int r = -ENOENT;

	/* A process that leaves may remove an empty one between two calls. */
	for (int i = 0; r == -ENOENT && i < ATTEMPTS; i++)
		r = make_directories(path);
	return r;
}

/* The unit makes an instance's directory for the daemon, which may not make it itself. */
int pins_refuse(int error, const char *path, struct refusal *refusal)
{
	const char *instance = path + strlen(PINS "/");

	refuse(refusal, 0, "%s cannot be pinned: %s", path, strerror(-error));
	if (error == -EACCES || error == -EPERM)
		refusal_right(refusal,
			      "as root: install -d -m 0711 " PINS " && install -d -m 0700 -o %u -g %u " PINS
			      "/%.*s",
			      geteuid(), getegid(), (int)strcspn(instance, "/"), instance);
	return error;
}

int pin_put(int fd, const char *path)
{
	if (unlink(path) && errno != ENOENT)
		return -errno;
	return bpf_obj_pin(fd, path) ? -errno : 0;
}

int pin_get(const char *path)
{
	int fd = bpf_obj_get(path);

	return fd < 0 ? -errno : fd;
}

int pins_each(const char *path, int (*visit)(const char *name, void *context), void *context)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int r = 0;

	if (!directory)
		return -errno;
	while (!r && (entry = readdir(directory))) {
		if (entry->d_name[0] != '.')
			r = visit(entry->d_name, context);
	}
	closedir(directory);
	return r;
}

struct removal {
	const char *parent;
	int depth;
};

static int remove_tree(const char *path, int depth);

static int remove_one(const char *name, void *context)
{
	const struct removal *removal = context;
	char path[2 * PIN_PATH];
	struct stat status;

	snprintf(path, sizeof path, "%s/%s", removal->parent, name);
	if (lstat(path, &status))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(status.st_mode))
		return remove_tree(path, removal->depth - 1);
	return unlink(path) && errno != ENOENT ? -errno : 0;
}

static int remove_tree(const char *path, int depth)
{
	struct removal removal = {.parent = path, .depth = depth};
	int r;

	if (depth < 0)
		return -ELOOP;
	r = pins_each(path, remove_one, &removal);
	if (r)
		return r == -ENOENT ? 0 : r;
	return rmdir(path) && errno != ENOENT ? -errno : 0;
}

int pins_remove(const char *path)
{
	return remove_tree(path, 2);
}
