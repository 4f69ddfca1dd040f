// SPDX-License-Identifier: Apache-2.0
#include "xdp_attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "core/value/nearest.h"
#include "gro.h"
#include "holder.h"
#include "kern/base/pins.h"

/* Interfaces on which neither program makes sense, whatever their drivers take ------------- */

/* "eth0, lo", as many as there is room for. */
static void list_names(const struct if_nameindex *names, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (; names && names->if_index && length + IF_NAMESIZE + 8 < size; names++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
					   names->if_name);
	if (names && names->if_index)
		strcpy(text + length, ", ...");
}

int refuse_absent_interface(const char *interface, struct refusal *refusal)
{
	struct if_nameindex *names = if_nameindex();
	struct nearest nearest = nearest_to(interface);
	char list[192];

	for (const struct if_nameindex *name = names; name && name->if_index; name++)
		nearest_offer(&nearest, name->if_name);
	refuse(refusal, -ENODEV, "there is no interface %s in this network namespace", interface);
	list_names(names, list, sizeof list);
	if (nearest.best)
		refusal_right(refusal, "one of %s (did you mean %s?)", list, nearest.best);
	else if (*list)
		refusal_right(refusal, "one of %s", list);
	if (names)
		if_freenameindex(names);
	return -ENODEV;
}

/* Flags and type of the link layer (ARPHRD_*). */
static int link_kind(const char *interface, short *ret_flags, unsigned short *ret_type)
{
	struct ifreq request = {};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r = 0;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
	if (ioctl(fd, SIOCGIFFLAGS, &request))
		r = -errno;
	*ret_flags = request.ifr_flags;
	if (!r && ioctl(fd, SIOCGIFHWADDR, &request))
		r = -errno;
	*ret_type = request.ifr_hwaddr.sa_family;
	close(fd);
	return r;
}

int interface_suitable(const char *interface, struct refusal *refusal)
{
	unsigned short type = ARPHRD_ETHER;
	short flags = 0;

	if (!if_nametoindex(interface) && errno == ENODEV)
		return refuse_absent_interface(interface, refusal);
	if (link_kind(interface, &flags, &type)) /* attaching says why */
		return 0;
	if (flags & IFF_LOOPBACK)
		refuse(refusal, 0, "%s is the loopback interface: no packet from another host comes in there",
		       interface);
	else if (type != ARPHRD_ETHER)
		refuse(refusal, 0,
		       "the packets of %s have no Ethernet header, and the program reads Ethernet frames "
		       "(link type %u, not 1)",
		       interface, type);
	else
		return 0;
	refusal_right(refusal,
		      "the Ethernet interface by which packets come in from the network; `ip -br link` "
		      "lists the interfaces");
	return -EINVAL;
}

/* Attaching -------------------------------------------------------------------------------- */

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
