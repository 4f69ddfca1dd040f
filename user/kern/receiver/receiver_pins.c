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

int receiver_pin_get(const char *interface, const char *what)
{
	char path[PIN_PATH];

	return pin_get(receiver_path(interface, what, path));
}

int receiver_attachment(const char *interface, struct attachment *ret)
{
	char path[PIN_PATH];

	return xdp_attachment(receiver_path(interface, "link", path), ret);
}

int receiver_about_read(const char *interface, struct receiver_about *ret)
{
	uint32_t zero = 0;
	int fd = receiver_pin_get(interface, "about"), r;

	if (fd < 0)
		return fd;
	r = bpf_map_lookup_elem(fd, &zero, ret) ? -errno : 0;
	close(fd);
	return r;
}
