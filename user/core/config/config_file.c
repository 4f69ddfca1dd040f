/* SPDX-License-Identifier: Apache-2.0 */
#include "config_file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "config.h"

static const struct {
	int error;
	const char *what, *right;
} troubles[] = {
	{ENOENT, "there is no such file", "the path of a configuration file"},
	{ENOTDIR, "a part of this path is a file, not a directory", "the path of a configuration file"},
	{EISDIR, "this is a directory", "a configuration file, such as holdfast.yaml, in it"},
	{EACCES, "this user may not read it", "a file that this user may read, or run it as root"},
	{EPERM, "this user may not read it", "a file that this user may read, or run it as root"},
	{ENXIO, "this is a socket or a device that gives nothing to read", "a text file"},
	{ENODEV, "this is a socket or a device that gives nothing to read", "a text file"},
	{ELOOP, "its symbolic links lead in a circle", "the path of the file itself"},
	{EFBIG, "it is larger than 16 MiB", "a file of 16 MiB at most"},
	{ENAMETOOLONG, "this path is too long", "a path of 4095 bytes at most, with names of 255 at most"},
};

_Static_assert(CONFIG_MAX_SIZE == 16 << 20, "the sentence says so");

int config_refuse_file(int error, struct refusal *refusal)
{
	for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
		if (troubles[i].error != -error)
			continue;
		refuse(refusal, error, "%s", troubles[i].what);
		refusal_right(refusal, "%s", troubles[i].right);
		return error;
	}
	refuse(refusal, error, "it cannot be read: %s", strerror(-error));
	refusal_right(refusal, "a text file");
	return error;
}
