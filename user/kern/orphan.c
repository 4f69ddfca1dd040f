// SPDX-License-Identifier: Apache-2.0
#include "orphan.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "attach.h"
#include "pins.h"
#include "state.h"

enum {
	TRIES = 100,
	PAUSE = 20 * 1000 * 1000, /* ns between them: the kernel lets go of an unpinned link a little later */
};

/* The programs that an interface runs: native, generic, or offloaded; 0 none. */
static void programs_of(uint32_t ifindex, uint32_t ids[2])
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);

	ids[0] = ids[1] = 0;
	if (!ifindex || bpf_xdp_query(ifindex, 0, &query))
		return;
	ids[0] = query.drv_prog_id ?: query.prog_id;
	ids[1] = query.skb_prog_id;
}

static bool is_balancer(const struct dataplane *dataplane, uint32_t id)
{
	struct bpf_prog_info info = {};
	uint32_t length = sizeof info;
	int fd;

	if (dataplane && (id == dataplane->prog_id || id == dataplane->prog_frags_id))
		return true;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		return false;
	if (bpf_obj_get_info_by_fd(fd, &info, &length))
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

/* 0: none, or this process may not know. */
static uint32_t link_of(uint32_t program)
{
	struct bpf_link_info info;
	uint32_t id = 0, length;

	while (!bpf_link_get_next_id(id, &id)) {
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		memset(&info, 0, sizeof info);
		length = sizeof info;
		if (bpf_obj_get_info_by_fd(fd, &info, &length))
			info.prog_id = 0;
		close(fd);
		if (info.type == BPF_LINK_TYPE_XDP && info.prog_id == program)
			return id;
	}
	return 0;
}

static void release_command(const char *interface, uint32_t program, char text[64])
{
	uint32_t link = link_of(program);

	if (link)
		snprintf(text, 64, "bpftool link detach id %u", link);
	else
		snprintf(text, 64, "ip link set %s xdp off", interface);
}

void holder_right(const char *interface, struct refusal *refusal)
{
	uint32_t ids[2];
	char command[64];

	programs_of(if_nametoindex(interface), ids);
	release_command(interface, ids[0] ?: ids[1], command);
	refusal_right(refusal, "detach the program that is there: %s", command);
}

int orphan_check(const struct dataplane *dataplane, const char *interface, struct refusal *refusal)
{
	uint32_t ids[2];
	char command[64];

	programs_of(if_nametoindex(interface), ids);
	for (int i = 0; i < 2; i++) {
		if (!ids[i] || !is_balancer(dataplane, ids[i]) || is_pinned(ids[i]))
			continue;
		release_command(interface, ids[i], command);
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

int orphan_wait(const struct dataplane *dataplane, const char *interface, struct refusal *refusal)
{
	const struct timespec pause = {.tv_nsec = PAUSE};
	struct refusal found = {0};
	int r = orphan_check(dataplane, interface, &found);

	for (int i = 0; r && i < TRIES; i++) {
		nanosleep(&pause, NULL);
		r = orphan_check(dataplane, interface, &found);
	}
	if (r && refusal)
		*refusal = found;
	return r;
}

int dataplane_check_orphan(const char *interface, struct refusal *refusal)
{
	return orphan_wait(NULL, interface, refusal);
}
