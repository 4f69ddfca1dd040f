// SPDX-License-Identifier: Apache-2.0
/* One XDP program on one interface: attach, describe, detach. */
#include "kern/instance/attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kern/base/absent.h"
#include "gro.h"
#include "holder.h"
#include "orphan.h"
#include "kern/base/pins.h"
#include "kern/maps/state.h"

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

static bool final(int error)
{
	return error == -EPERM || error == -EBUSY || error == -EEXIST || error == -ENODEV;
}

static int link_create(uint32_t ifindex, int program, int frags, uint32_t flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = flags);
	int link = bpf_link_create(program, ifindex, BPF_XDP, &options);

	if (link < 0 && frags >= 0 && !final(-errno)) {
		int error = errno;

		link = bpf_link_create(frags, ifindex, BPF_XDP, &options);
		if (link < 0)
			errno = error;
	}
	return link < 0 ? -errno : link;
}

static int refuse_attach(const char *interface, uint32_t ifindex, int program, uint32_t flags, int error,
			 struct refusal *refusal)
{
	bool native = flags & XDP_FLAGS_DRV_MODE;
	char reason[NETLINK_REASON];

	if ((error == -EBUSY || error == -EEXIST) && orphan_check(NULL, interface, refusal))
		return error;
	xdp_reason(ifindex, program, flags, reason);
	if (!reason[0])
		snprintf(reason, sizeof reason, "%s",
			 error == -EOPNOTSUPP ? "the driver has no native XDP" : strerror(-error));
	refuse(refusal, error, "interface %s does not take the program in %s mode: %s", interface,
	       native ? "native" : "generic", reason);
	if (error == -EBUSY || error == -EEXIST)
		holder_right(interface, refusal);
	else if (error == -EPERM)
		refusal_right(refusal, "run as root, or with CAP_NET_ADMIN and CAP_BPF");
	else if (native)
		refusal_right(
			refusal,
			"--mode generic (slower), or a smaller MTU or fewer queues, as the driver says");
	return error;
}

/* The link is detached with its descriptor if it is not pinned. */
static int link_settle(int link, const char *interface, bool generic, const char *path,
		       struct refusal *refusal)
{
	int r = generic ? gro_hold(interface, path) : 0;

	if (r) {
		refuse(refusal, 0, "generic mode needs GRO off on %s, and that fails: %s", interface,
		       strerror(-r));
		refusal_right(refusal, "ethtool -K %s gro off", interface);
		return r;
	}
	r = pin_put(link, path);
	if (!r)
		return 0;
	gro_give_back(interface, path);
	return pins_refuse(r, path, refusal);
}

int xdp_attach(const char *interface, int program, int frags, enum interface_mode mode, const char *path,
	       struct refusal *refusal)
{
	uint32_t ifindex = if_nametoindex(interface);
	uint32_t flags = mode == MODE_GENERIC ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
	int link, r;

	if (!ifindex)
		return refuse_absent_interface(interface, refusal);
	link = link_create(ifindex, program, frags, flags);
	if (link == -EOPNOTSUPP && mode == MODE_AUTO) {
		flags = XDP_FLAGS_SKB_MODE;
		link = link_create(ifindex, program, frags, flags);
	}
	if (link < 0)
		return refuse_attach(interface, ifindex, program, flags, link, refusal);
	r = link_settle(link, interface, flags == XDP_FLAGS_SKB_MODE, path, refusal);
	if (r)
		bpf_link_detach(link); /* now: closing does it some time later */
	close(link);
	return r;
}

static int program_tag(uint32_t id, char tag[17])
{
	int fd = bpf_prog_get_fd_by_id(id), r;

	if (fd < 0)
		return -errno;
	r = program_describe(fd, &id, tag);
	close(fd);
	return r;
}

int xdp_attachment_of(int link, struct attachment *ret)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	struct bpf_link_info info = {};
	uint32_t length = sizeof info;
	struct attachment attachment = {};
	int r = 0;

	if (bpf_obj_get_info_by_fd(link, &info, &length))
		return -errno;
	attachment.ifindex = info.xdp.ifindex;
	attachment.program = info.prog_id;
	attachment.link = info.id;
	program_tag(info.prog_id, attachment.tag);
	if (!info.xdp.ifindex)
		r = -ENODEV;
	/* The number may be that of another interface, if the link is attached in another network namespace.
	 */
	else if (bpf_xdp_query(info.xdp.ifindex, 0, &query) ||
		 !if_indextoname(info.xdp.ifindex, attachment.interface))
		r = -EXDEV;
	else if (query.drv_prog_id != info.prog_id && query.skb_prog_id != info.prog_id &&
		 query.prog_id != info.prog_id)
		r = -EXDEV;
	attachment.generic = query.attach_mode == XDP_ATTACHED_SKB || query.skb_prog_id == info.prog_id;
	*ret = attachment;
	return r;
}

int xdp_attachment(const char *path, struct attachment *ret)
{
	int link = pin_get(path), r;

	if (link < 0)
		return link;
	r = xdp_attachment_of(link, ret);
	close(link);
	return r;
}

bool interface_is_generic(const char *interface)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	int ifindex = if_nametoindex(interface);

	return ifindex && !bpf_xdp_query(ifindex, 0, &query) && query.attach_mode == XDP_ATTACHED_SKB;
}

/* Unpinning alone would detach some time later. -ENOLINK: its interface is gone already. */
static int link_detach(int link)
{
	struct bpf_link_info info = {};
	uint32_t length = sizeof info;

	if (bpf_link_detach(link) && errno != ENOLINK)
		return -errno;
	/* The link itself says whether it holds an interface, in whatever network namespace and by whatever
	 * name. */
	if (bpf_obj_get_info_by_fd(link, &info, &length))
		return -errno;
	return info.xdp.ifindex ? -EBUSY : 0;
}

int xdp_detach(const char *path)
{
	struct attachment attachment;
	int fd = pin_get(path), r;
	bool here;

	if (fd < 0)
		return fd;
	here = !xdp_attachment_of(fd, &attachment);
	r = link_detach(fd);
	close(fd);
	if (r)
		return r;
	gro_give_back(here ? attachment.interface : NULL, path);
	return unlink(path) ? -errno : 0;
}
