// SPDX-License-Identifier: Apache-2.0
#include "holder.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "attachment.h"
#include "kern/base/object.h"
#include "kern/base/pins.h"

enum {
	TRIES = 100,
	PAUSE = 20 * 1000 * 1000, /* ns between them: the kernel lets go of an unpinned link a little later */
};

enum { HOLDER_COMMAND = 128 };

/* What may run on one interface at a time: a native program, a generic one, and one in the NIC. */
enum holder_mode { HOLDER_NATIVE, HOLDER_GENERIC, HOLDER_OFFLOADED, HOLDER_MODES };

static const struct {
	uint32_t flags;
	const char *word; /* of `ip link set` */
} modes[HOLDER_MODES] = {
	[HOLDER_NATIVE] = {XDP_FLAGS_DRV_MODE, "xdpdrv"},
	[HOLDER_GENERIC] = {XDP_FLAGS_SKB_MODE, "xdpgeneric"},
	[HOLDER_OFFLOADED] = {XDP_FLAGS_HW_MODE, "xdpoffload"},
};

/* The identifiers of the programs, by mode; 0: none. */
static void holders_read(uint32_t ifindex, uint32_t ret_programs[HOLDER_MODES])
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);

	memset(ret_programs, 0, HOLDER_MODES * sizeof *ret_programs);
	if (!ifindex || bpf_xdp_query(ifindex, 0, &query))
		return;
	ret_programs[HOLDER_NATIVE] = query.drv_prog_id;
	ret_programs[HOLDER_GENERIC] = query.skb_prog_id;
	ret_programs[HOLDER_OFFLOADED] = query.hw_prog_id;
}

bool interface_is_generic(const char *interface)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	int ifindex = if_nametoindex(interface);

	return ifindex && !bpf_xdp_query(ifindex, 0, &query) && query.attach_mode == XDP_ATTACHED_SKB;
}

void xdp_reason(uint32_t ifindex, int program, uint32_t flags, char reason[NETLINK_REASON])
{
	struct netlink *netlink;
	struct nlmsghdr *request;
	struct nlattr *xdp;
	struct ifinfomsg *header;

	reason[0] = '\0';
	if (netlink_open(NETLINK_ROUTE, &netlink))
		return;
	request = netlink_request(netlink, RTM_SETLINK, 0);
	header = mnl_nlmsg_put_extra_header(request, sizeof *header);
	header->ifi_index = ifindex;
	xdp = mnl_attr_nest_start(request, IFLA_XDP);
	mnl_attr_put_u32(request, IFLA_XDP_FD, program);
	mnl_attr_put_u32(request, IFLA_XDP_FLAGS, flags | XDP_FLAGS_UPDATE_IF_NOEXIST);
	mnl_attr_nest_end(request, xdp);
	if (!netlink_ask(netlink, request, NULL, NULL, reason))
		bpf_xdp_detach(ifindex, flags, NULL);
	netlink_close(netlink);
}

/* 0: none, or this process may not know. */
static uint32_t link_of(uint32_t program)
{
	struct bpf_link_info info;
	uint32_t id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (object_info(fd, &info, sizeof info))
			info.prog_id = 0;
		close(fd);
		if (info.type == BPF_LINK_TYPE_XDP && info.prog_id == program)
			return id;
	}
	return 0;
}

/* The kernel refuses to put another program beside or in the place of one that is there, and says why. */
static bool is_link(uint32_t ifindex, enum holder_mode mode)
{
	const struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};
	char reason[NETLINK_REASON];
	int program = bpf_prog_load(BPF_PROG_TYPE_XDP, "pass", "GPL", pass, sizeof pass / sizeof *pass, NULL);

	if (program < 0)
		return false;
	xdp_reason(ifindex, program, modes[mode].flags, reason);
	close(program);
	return strstr(reason, "BPF XDP link");
}

/*
 * The command that takes the program of that mode from the interface. A bpf_link is detached by its number,
 * which only a process with CAP_SYS_ADMIN can read; any other program by `ip link`, which must name the mode:
 * `xdp off` leaves a generic program where the driver has native XDP.
 */
static void holder_command(const char *interface, enum holder_mode mode, uint32_t program,
			   char ret[HOLDER_COMMAND])
{
	uint32_t link = link_of(program);

	if (link)
		snprintf(ret, HOLDER_COMMAND, "bpftool link detach id %u", link);
	else if (is_link(if_nametoindex(interface), mode))
		snprintf(ret, HOLDER_COMMAND,
			 "bpftool link detach id N, with the number N that `bpftool link` shows for %s",
			 interface);
	else
		snprintf(ret, HOLDER_COMMAND, "ip link set %s %s off", interface, modes[mode].word);
}

void holder_right(const char *interface, struct refusal *refusal)
{
	uint32_t programs[HOLDER_MODES];
	char command[HOLDER_COMMAND];

	holders_read(if_nametoindex(interface), programs);
	for (enum holder_mode mode = 0; mode < HOLDER_MODES; mode++) {
		if (!programs[mode])
			continue;
		holder_command(interface, mode, programs[mode], command);
		refusal_right(refusal, "detach the program that is there: %s", command);
		return;
	}
}

/* Orphans: programs of a balancer that run on an interface, and that no pin holds ---------- */

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
