// SPDX-License-Identifier: Apache-2.0
#include "xdp_attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gro.h"
#include "holder.h"
#include "orphan.h"
#include "kern/base/pins.h"

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
