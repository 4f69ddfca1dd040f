// SPDX-License-Identifier: Apache-2.0
/* Interfaces on which neither program makes sense, whatever their drivers take: there is none of that name,
 * or its packets are no Ethernet frames from other hosts. */
#include "xdp_attach.h"

#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/value/nearest.h"

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
