// SPDX-License-Identifier: Apache-2.0
#include "orphan.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "kern/base/object.h"
#include "attachment.h"
#include "holder.h"
#include "kern/base/pins.h"

enum {
	TRIES = 100,
	PAUSE = 20 * 1000 * 1000, /* ns between them: the kernel lets go of an unpinned link a little later */
};

static bool is_balancer(const uint32_t own[2], uint32_t id)
{
	struct bpf_prog_info info;
	int fd;

	if (own && (id == own[0] || id == own[1]))
		return true;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		return false;
	if (object_info(fd, &info, sizeof info))
		info.name[0] = '\0';
	close(fd);
	return !strcmp(info.name, "balance_linear") || !strcmp(info.name, "balance_frags");
}

struct holders {
	uint32_t program;
	char instance[PIN_NAME];
};

static int match_holder(const char *pinned, void *context)
{
	const struct holders *holders = context;
	struct attachment attachment;
	char path[PIN_PATH];
	int r = xdp_attachment(pin_path(path, "%s/links/%s", holders->instance, pinned), &attachment);

	return (!r || r == -EXDEV) && attachment.program == holders->program;
}

static int match_instance(const char *instance, void *context)
{
	struct holders *holders = context;
	char path[PIN_PATH];

	snprintf(holders->instance, sizeof holders->instance, "%s", instance);
	return pins_each(pin_path(path, "%s/links", instance), match_holder, holders) == 1;
}

/* Whichever instance it is: each has programs of its own. */
static bool is_pinned(uint32_t program)
{
	struct holders holders = {.program = program};

	return pins_each(PINS, match_instance, &holders) == 1;
}

int orphan_check(const uint32_t own[2], const char *interface, struct refusal *refusal)
{
	uint32_t ids[HOLDER_MODES];
	char command[HOLDER_COMMAND];

	holders_read(if_nametoindex(interface), ids);
	for (enum holder_mode i = 0; i < HOLDER_MODES; i++) {
		if (!ids[i] || !is_balancer(own, ids[i]) || is_pinned(ids[i]))
			continue;
		holder_command(interface, i, ids[i], command);
		refuse(refusal, 0,
		       "interface %s runs program %u of a balancer, and no pin below " PINS " holds it",
		       interface, ids[i]);
		refusal_right(refusal,
			      "umount " BPFFS
			      ", if a second bpffs lies over the one with the pins; or let go of "
			      "its packets: %s",
			      command);
		return -EBUSY;
	}
	return 0;
}

int orphans_check(struct refusal *refusal)
{
	struct if_nameindex *all = if_nameindex();
	int r = 0;

	for (struct if_nameindex *each = all; !r && each && each->if_index; each++)
		r = orphan_check(NULL, each->if_name, refusal);
	if (all)
		if_freenameindex(all);
	return r;
}

int orphan_wait(const uint32_t own[2], const char *interface, struct refusal *refusal)
{
	const struct timespec pause = {.tv_nsec = PAUSE};
	struct refusal found = {0};
	int r = orphan_check(own, interface, &found);

	for (int i = 0; r && i < TRIES; i++) {
		nanosleep(&pause, NULL);
		r = orphan_check(own, interface, &found);
	}
	if (r && refusal)
		*refusal = found;
	return r;
}
