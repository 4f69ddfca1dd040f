// SPDX-License-Identifier: Apache-2.0
#include "host_view.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

#include "core/value/address_use.h"
#include "kern/base/netlink.h"
#include "kern/base/route.h"

enum { ROUTES = 65536 }; /* a table of the whole Internet would take seconds; default routes come first */

struct host_view {
	struct netlink *netlink;
	bool asked;
	struct prefix *networks; /* on link, with the bits of the address that the host has there */
	size_t network_count;
	bool sought;
	struct address *gateways;
	size_t gateway_count, routes_left;
};

struct host_view *host_view_new(void)
{
	return calloc(1, sizeof(struct host_view));
}

void host_view_free(struct host_view *view)
{
	if (!view)
		return;
	netlink_close(view->netlink);
	free(view->networks);
	free(view->gateways);
	free(view);
}

/* Networks --------------------------------------------------------------------------- */

static int network_read(const struct nlmsghdr *answer, void *context)
{
	const struct ifaddrmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[IFA_MAX + 1];
	struct host_view *view = context;
	struct prefix *grown;

	attributes_read(answer, sizeof *message, by_type, IFA_MAX + 1);
	if (!by_type[IFA_ADDRESS])
		return 0;
	grown = realloc(view->networks, (view->network_count + 1) * sizeof *grown);
	if (!grown)
		return -1;
	view->networks = grown;
	grown[view->network_count++] = (struct prefix){
		address_from(message->ifa_family, mnl_attr_get_payload(by_type[IFA_ADDRESS])),
		message->ifa_prefixlen,
	};
	return 0;
}

static void networks_ask(struct host_view *view)
{
	struct nlmsghdr *request = netlink_request(view->netlink, RTM_GETADDR, NLM_F_DUMP);
	struct ifaddrmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

	message->ifa_family = AF_UNSPEC;
	netlink_ask(view->netlink, request, network_read, view, NULL);
}

/* Once. Whether the kernel can be asked. */
static bool view_open(struct host_view *view)
{
	if (!view->asked && !netlink_open(NETLINK_ROUTE, &view->netlink))
		networks_ask(view);
	view->asked = true;
	return view->netlink;
}

static bool is_host_part_zero(const struct address *address, unsigned int bits)
{
	for (unsigned int bit = bits; bit < (address->family == 4 ? 32U : 128U); bit++)
		if (address->bytes[bit / 8] & (0x80 >> bit % 8))
			return false;
	return true;
}

/* A network of two addresses (RFC 3021, RFC 6164) has hosts at both. */
static bool is_network(const struct host_view *view, const struct address *address)
{
	unsigned int most = address->family == 4 ? 31 : 127;

	for (size_t i = 0; i < view->network_count; i++)
		if (view->networks[i].bits < most && prefix_contains(&view->networks[i], address) &&
		    is_host_part_zero(address, view->networks[i].bits))
			return true;
	return false;
}

enum host_part host_view_part(struct host_view *view, const struct address *address)
{
	struct route route = {};

	if (!view_open(view))
		return HOST_ELSEWHERE;
	if (!route_ask(view->netlink, address, &route)) {
		if (route.type == RTN_LOCAL)
			return HOST_OWN;
		if (route.type == RTN_BROADCAST)
			return HOST_BROADCAST;
	}
	return is_network(view, address) ? HOST_NETWORK : HOST_ELSEWHERE;
}

/* Gateways --------------------------------------------------------------------------- */

static bool is_noted(const struct host_view *view, const struct address *address)
{
	for (size_t i = 0; i < view->gateway_count; i++)
		if (address_equal(&view->gateways[i], address))
			return true;
	return false;
}

/* Without memory a gateway is one that is not known. */
static void gateway_note(struct host_view *view, uint8_t family, const void *bytes)
{
	const struct address address = address_from(family, bytes);
	struct address *grown;

	if (is_noted(view, &address))
		return;
	grown = realloc(view->gateways, (view->gateway_count + 1) * sizeof *grown);
	if (!grown)
		return;
	view->gateways = grown;
	grown[view->gateway_count++] = address;
}

static void gateways_note(struct host_view *view, uint8_t family, const struct nlattr *const *by_type)
{
	if (by_type[RTA_GATEWAY])
		gateway_note(view, family, mnl_attr_get_payload(by_type[RTA_GATEWAY]));
	if (by_type[RTA_VIA]) { /* an IPv4 route by an IPv6 gateway (RFC 5549) */
		const struct rtvia *via = mnl_attr_get_payload(by_type[RTA_VIA]);

		gateway_note(view, via->rtvia_family, via->rtvia_addr);
	}
}

static void multipath_note(struct host_view *view, uint8_t family, const struct nlattr *multipath)
{
	const struct rtnexthop *hop = mnl_attr_get_payload(multipath);
	int left = mnl_attr_get_payload_len(multipath);

	for (; RTNH_OK(hop, left); left -= RTNH_ALIGN(hop->rtnh_len), hop = RTNH_NEXT(hop)) {
		const struct nlattr *by_type[RTA_MAX + 1] = {};

		attributes_read_bytes(RTNH_DATA(hop), hop->rtnh_len - RTNH_LENGTH(0), by_type, RTA_MAX + 1);
		gateways_note(view, family, by_type);
	}
}

static int gateway_visit(const struct nlmsghdr *answer, void *context)
{
	const struct rtmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[RTA_MAX + 1];
	struct host_view *view = context;

	attributes_read(answer, sizeof *message, by_type, RTA_MAX + 1);
	gateways_note(view, message->rtm_family, by_type);
	if (by_type[RTA_MULTIPATH])
		multipath_note(view, message->rtm_family, by_type[RTA_MULTIPATH]);
	return --view->routes_left == 0;
}

/* By a socket of its own: on one where a dump was broken off, the kernel begins no other. */
static void gateways_ask(struct host_view *view, uint8_t family)
{
	struct netlink *netlink;
	struct nlmsghdr *request;
	struct rtmsg *message;

	if (netlink_open(NETLINK_ROUTE, &netlink))
		return;
	request = netlink_request(netlink, RTM_GETROUTE, NLM_F_DUMP);
	message = mnl_nlmsg_put_extra_header(request, sizeof *message);
	message->rtm_family = family;
	view->routes_left = ROUTES;
	netlink_ask(netlink, request, gateway_visit, view, NULL);
	netlink_close(netlink);
}

bool host_view_gateway(struct host_view *view, const struct address *address)
{
	struct route route = {};

	if (!view_open(view) || route_ask(view->netlink, address, &route) || route.gateway.family ||
	    route.type != RTN_UNICAST)
		return false;
	if (!view->sought) {
		gateways_ask(view, AF_INET);
		gateways_ask(view, AF_INET6);
	}
	view->sought = true;
	return is_noted(view, address);
}
