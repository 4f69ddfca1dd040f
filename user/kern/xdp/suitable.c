// SPDX-License-Identifier: Apache-2.0
/* Interfaces on which neither program makes sense, whatever their drivers take. */
#include "xdp_attach.h"

#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "kern/base/absent.h"

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
