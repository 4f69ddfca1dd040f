// SPDX-License-Identifier: Apache-2.0
#include "receiver_pins.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

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

int receiver_about_read(const char *interface, struct receiver_about *ret)
{
	char path[PIN_PATH];
	uint32_t zero = 0;
	int fd = pin_get(receiver_path(interface, "about", path)), r;

	if (fd < 0)
		return fd;
	r = bpf_map_lookup_elem(fd, &zero, ret) ? -errno : 0;
	close(fd);
	return r;
}
