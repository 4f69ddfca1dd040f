// SPDX-License-Identifier: Apache-2.0
#include "route.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static uint8_t address_af(const struct address *address)
{
	return address->family == 4 ? AF_INET : AF_INET6;
}

static size_t address_size(const struct address *address)
{
	return address->family == 4 ? 4 : 16;
}

struct address address_from(uint8_t family, const void *bytes)
{
	struct address address = {.family = family == AF_INET ? 4 : 6};

	memcpy(address.bytes, bytes, address_size(&address));
	return address;
}

struct prefix prefix_from(uint8_t family, const struct nlattr *address, uint8_t bits)
{
	struct prefix prefix = {.address.family = family == AF_INET ? 4 : 6, .bits = bits};

	if (address)
		prefix.address = address_from(family, mnl_attr_get_payload(address));
	return prefix;
}

static void route_metrics(const struct nlattr *metrics, struct route *route)
{
	const struct nlattr *by_type[RTAX_MAX + 1] = {};

	attributes_read_nested(metrics, by_type, RTAX_MAX + 1);
	if (by_type[RTAX_MTU])
		route->mtu = mnl_attr_get_u32(by_type[RTAX_MTU]);
}

int route_read(const struct nlmsghdr *answer, void *context)
{
	const struct rtmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[RTA_MAX + 1];
	struct route *route = context;

	attributes_read(answer, sizeof *message, by_type, RTA_MAX + 1);
	route->type = message->rtm_type;
	route->table = by_type[RTA_TABLE] ? mnl_attr_get_u32(by_type[RTA_TABLE]) : message->rtm_table;
	if (by_type[RTA_OIF])
		route->ifindex = mnl_attr_get_u32(by_type[RTA_OIF]);
	if (by_type[RTA_GATEWAY])
		route->gateway =
			address_from(message->rtm_family, mnl_attr_get_payload(by_type[RTA_GATEWAY]));
	if (by_type[RTA_VIA]) { /* an IPv4 route by an IPv6 gateway (RFC 5549) */
		const struct rtvia *via = mnl_attr_get_payload(by_type[RTA_VIA]);

		route->gateway = address_from(via->rtvia_family, via->rtvia_addr);
	}
	if (by_type[RTA_PREFSRC])
		route->source = address_from(message->rtm_family, mnl_attr_get_payload(by_type[RTA_PREFSRC]));
	if (by_type[RTA_METRICS])
		route_metrics(by_type[RTA_METRICS], route);
	return 0;
}

int route_ask(struct netlink *netlink, const struct address *address, struct route *ret)
{
	struct nlmsghdr *request = netlink_request(netlink, RTM_GETROUTE, 0);
	struct rtmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);
	struct route route = {};
	int r;

	message->rtm_family = address_af(address);
	message->rtm_dst_len = 8 * address_size(address);
	if (address->family == 4) /* IPv6 tells of the table unasked, and refuses the flag */
		message->rtm_flags = RTM_F_LOOKUP_TABLE;
	mnl_attr_put(request, RTA_DST, address_size(address), address->bytes);
	r = netlink_ask(netlink, request, route_read, &route, NULL);
	if (!r)
		*ret = route;
	return r;
}

int neighbour_read(const struct nlmsghdr *answer, void *context)
{
	const struct ndmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[NDA_MAX + 1];
	struct neighbour *neighbour = context;

	attributes_read(answer, sizeof *message, by_type, NDA_MAX + 1);
	neighbour->state = message->ndm_state;
	neighbour->protocol = by_type[NDA_PROTOCOL] ? mnl_attr_get_u8(by_type[NDA_PROTOCOL]) : 0;
	if (by_type[NDA_LLADDR] && mnl_attr_get_payload_len(by_type[NDA_LLADDR]) == sizeof neighbour->mac)
		memcpy(neighbour->mac, mnl_attr_get_payload(by_type[NDA_LLADDR]), sizeof neighbour->mac);
	else
		neighbour->state &= ~(NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT);
	return 0;
}

static struct nlmsghdr *neighbour_request(struct netlink *netlink, uint16_t type, uint16_t flags,
					  uint32_t ifindex, const struct address *address, struct ndmsg **ret)
{
	struct nlmsghdr *request = netlink_request(netlink, type, flags);
	struct ndmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

	message->ndm_family = address_af(address);
	message->ndm_ifindex = ifindex;
	mnl_attr_put(request, NDA_DST, address_size(address), address->bytes);
	*ret = message;
	return request;
}

int neighbour_ask(struct netlink *netlink, uint32_t ifindex, const struct address *address,
		  struct neighbour *ret)
{
	struct ndmsg *message;
	struct nlmsghdr *request = neighbour_request(netlink, RTM_GETNEIGH, 0, ifindex, address, &message);
	struct neighbour neighbour = {};
	int r = netlink_ask(netlink, request, neighbour_read, &neighbour, NULL);

	if (!r)
		*ret = neighbour;
	return r;
}

static int neighbour_seek_with(struct netlink *netlink, uint32_t ifindex, const struct address *address,
			       uint16_t flags, uint8_t protocol)
{
	struct ndmsg *message;
	struct nlmsghdr *request =
		neighbour_request(netlink, RTM_NEWNEIGH, NLM_F_CREATE | flags, ifindex, address, &message);

	message->ndm_flags = NTF_USE;
	if (protocol)
		mnl_attr_put_u8(request, NDA_PROTOCOL, protocol);
	return netlink_ask(netlink, request, NULL, NULL, NULL);
}

/* An entry that is there stays whose it is. */
int neighbour_use(struct netlink *netlink, uint32_t ifindex, const struct address *address, uint8_t protocol)
{
	int r = neighbour_seek_with(netlink, ifindex, address, NLM_F_EXCL, protocol);

	return r == -EEXIST ? neighbour_seek_with(netlink, ifindex, address, NLM_F_REPLACE, 0) : r;
}

int neighbour_delete(struct netlink *netlink, uint32_t ifindex, const struct address *address)
{
	struct ndmsg *message;
	struct nlmsghdr *request = neighbour_request(netlink, RTM_DELNEIGH, 0, ifindex, address, &message);

	return netlink_ask(netlink, request, NULL, NULL, NULL);
}

static int neighbour_state_set(struct netlink *netlink, uint32_t ifindex, const struct address *address,
			       uint16_t state)
{
	struct ndmsg *message;
	struct nlmsghdr *request =
		neighbour_request(netlink, RTM_NEWNEIGH, NLM_F_REPLACE, ifindex, address, &message);

	message->ndm_state = state;
	return netlink_ask(netlink, request, NULL, NULL, NULL);
}

int neighbour_confirm(struct netlink *netlink, uint32_t ifindex, const struct address *address)
{
	return neighbour_state_set(netlink, ifindex, address, NUD_PROBE);
}

int neighbour_fail(struct netlink *netlink, uint32_t ifindex, const struct address *address)
{
	return neighbour_state_set(netlink, ifindex, address, NUD_FAILED);
}

bool neighbour_usable(const struct neighbour *neighbour)
{
	return neighbour->state & (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT);
}

static int link_read(const struct nlmsghdr *answer, void *context)
{
	const struct ifinfomsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[IFLA_MASTER + 1];
	struct link *link = context;

	attributes_read(answer, sizeof *message, by_type, IFLA_MASTER + 1);
	link->ifindex = message->ifi_index;
	link->flags = message->ifi_flags;
	if (by_type[IFLA_IFNAME])
		snprintf(link->name, sizeof link->name, "%s", mnl_attr_get_str(by_type[IFLA_IFNAME]));
	if (by_type[IFLA_MTU])
		link->mtu = mnl_attr_get_u32(by_type[IFLA_MTU]);
	if (by_type[IFLA_MASTER])
		link->master = mnl_attr_get_u32(by_type[IFLA_MASTER]);
	if (by_type[IFLA_ADDRESS] && mnl_attr_get_payload_len(by_type[IFLA_ADDRESS]) == sizeof link->mac)
		memcpy(link->mac, mnl_attr_get_payload(by_type[IFLA_ADDRESS]), sizeof link->mac);
	return 0;
}

struct nlmsghdr *link_request(struct netlink *netlink, uint32_t ifindex)
{
	struct nlmsghdr *request = netlink_request(netlink, RTM_GETLINK, 0);
	struct ifinfomsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

	message->ifi_index = (int)ifindex;
	return request;
}

int link_ask(struct netlink *netlink, uint32_t ifindex, struct link *ret)
{
	struct link link = {};
	int r = netlink_ask(netlink, link_request(netlink, ifindex), link_read, &link, NULL);

	if (!r)
		*ret = link;
	return r;
}

/* Not IFF_RUNNING, which follows some time later. net/if.h does not have the flag. */
bool link_carries(const struct link *link)
{
	const uint32_t lower_up = 1 << 16; /* IFF_LOWER_UP */

	return link->flags & IFF_UP && link->flags & lower_up;
}
