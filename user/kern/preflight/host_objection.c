// SPDX-License-Identifier: Apache-2.0
#include "host_objection.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "core/model/model_check.h"
#include "core/value/address_use.h"
#include "kern/base/netlink.h"
#include "kern/base/route.h"

enum { SSH = 22 };
enum { ROUTES = 65536 }; /* a table of the whole Internet would take seconds; default routes come first */

/* What addresses are to this host, as its kernel sees them -------------------------------- */

enum host_part {
	HOST_ELSEWHERE, /* another host's, or not known */
	HOST_OWN,       /* this host's own: the kernel delivers it here */
	HOST_BROADCAST, /* the broadcast address of a network on link */
	HOST_NETWORK,   /* the address of such a network itself (IPv6: of its routers, RFC 4291, 2.6.1) */
};

struct host_view {
	struct netlink *netlink;
	bool asked;
	struct prefix *networks; /* on link, with the bits of the address that the host has there */
	size_t network_count;
	bool sought;
	struct address *gateways;
	size_t gateway_count, routes_left;
};

/* Sends nothing yet: the first address asks the kernel. NULL: out of memory. */
static struct host_view *host_view_new(void)
{
	return calloc(1, sizeof(struct host_view));
}

static void host_view_free(struct host_view *view)
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

/* Once. Whether the kernel can be asked. */
static bool view_open(struct host_view *view)
{
	if (!view->asked && !netlink_open(NETLINK_ROUTE, &view->netlink))
		netlink_dump(view->netlink, RTM_GETADDR, sizeof(struct ifaddrmsg), AF_UNSPEC, network_read,
			     view);
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

/* What the kernel does not answer is HOST_ELSEWHERE. */
static enum host_part host_view_part(struct host_view *view, const struct address *address)
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

	if (netlink_open(NETLINK_ROUTE, &netlink))
		return;
	view->routes_left = ROUTES;
	netlink_dump(netlink, RTM_GETROUTE, sizeof(struct rtmsg), family, gateway_visit, view);
	netlink_close(netlink);
}

/* Whether a route of this host leads by a gateway on link that has the address. Of very many routes only the
 * first are looked at. */
static bool host_view_gateway(struct host_view *view, const struct address *address)
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

/* Objections ------------------------------------------------------------------------------ */

struct host_objector {
	struct host_view *view;
	objection_visit *visit;
	void *context;
};

static int raise_mistake(const struct host_objector *objector, const struct fault *fault,
			 struct objection *objection)
{
	objection->weight = OBJECTION_MISTAKE;
	refusal_kind(&objection->refusal, "likely-mistake");
	fault_where(fault, &objection->refusal);
	return objector->visit(objection, objector->context);
}

/* Fills *refusal where no host can have the address. */
static bool is_no_host(enum host_part part, const struct address *address, struct refusal *refusal)
{
	char text[ADDRESS_TEXT];

	if (part != HOST_BROADCAST && part != HOST_NETWORK)
		return false;
	refuse(refusal, -EPERM,
	       "%s is the %s address of a network that this host is in, so no host should have it",
	       address_text(address, text), part == HOST_BROADCAST ? "broadcast" : "first");
	refusal_right(refusal, "the address of one host; --force, if a host has this one");
	return true;
}

/* Backends --------------------------------------------------------------------------- */

static bool is_there_before(const struct model *before, const struct pool *pool,
			    const struct address *address)
{
	const struct pool *old = before ? model_pool(before, pool->name) : NULL;

	for (size_t i = 0; old && i < old->backend_count; i++)
		if (address_equal(&old->backends[i].address, address))
			return true;
	return false;
}

static int visit_backend(const struct host_objector *objector, const struct pool *pool,
			 const struct backend *backend)
{
	const struct fault fault = {FAULT_BACKEND, backend, pool, "address"};
	enum host_part part = host_view_part(objector->view, &backend->address);
	struct objection objection = {0};
	char text[ADDRESS_TEXT];

	if (part == HOST_OWN) {
		refuse(&objection.refusal, -EPERM,
		       "%s is this host's own address, and a balancer sends nothing to itself",
		       address_text(&backend->address, text));
		refusal_right(&objection.refusal,
			      "a backend on another host; --force, if the file is for several "
			      "balancers and others reach it");
	} else if (!is_no_host(part, &backend->address, &objection.refusal)) {
		return 0;
	}
	return raise_mistake(objector, &fault, &objection);
}

static int visit_pool(const struct host_objector *objector, const struct model *before,
		      const struct pool *pool)
{
	int result = 0;

	for (size_t i = 0; !result && i < pool->backend_count; i++) {
		const struct backend *backend = &pool->backends[i];

		if (!backend->removing && !is_there_before(before, pool, &backend->address))
			result = visit_backend(objector, pool, backend);
	}
	return result;
}

int host_visit_backends(const struct model *before, const struct model *after, objection_visit *visit,
			void *context)
{
	const struct host_objector objector = {host_view_new(), visit, context};
	int result = objector.view ? 0 : -ENOMEM;

	for (size_t i = 0; !result && i < after->pool_count; i++)
		result = visit_pool(&objector, before, &after->pools[i]);
	host_view_free(objector.view);
	return result;
}

/* Services --------------------------------------------------------------------------- */

/* What of the host itself a service at its own address takes; NULL: nothing that must be said. */
static const char *takes_of_host(const struct service *service)
{
	bool every = service->port_low == 0 && service->port_high == UINT16_MAX;

	if (service->proto == IPPROTO_UDP)
		return every ? "answers to its own requests, such as DNS," : NULL;
	if (every)
		return "SSH to it and answers to its own connections";
	return service->port_low <= SSH && service->port_high >= SSH ? "SSH to it" : NULL;
}

static int visit_service(const struct host_objector *objector, const struct service *service)
{
	enum host_part part = host_view_part(objector->view, &service->vip);
	const struct fault fault = {FAULT_SERVICE, service, NULL, "listen"};
	const char *taken = part == HOST_OWN ? takes_of_host(service) : NULL;
	struct objection objection = {0};
	char text[ADDRESS_TEXT];

	address_text(&service->vip, text);
	if (taken) {
		refuse(&objection.refusal, -EPERM,
		       "%s is this host's own address, so %s would go to backends", text, taken);
		refusal_right(&objection.refusal,
			      "the ports that clients use; --force, if the host can do without");
	} else if (part == HOST_ELSEWHERE && host_view_gateway(objector->view, &service->vip)) {
		refuse(&objection.refusal, -EPERM, "%s is the gateway of a route of this host", text);
		refusal_right(&objection.refusal,
			      "an address that no host on the link has; --force, if it is meant");
	} else if (!is_no_host(part, &service->vip, &objection.refusal)) {
		return 0;
	}
	return raise_mistake(objector, &fault, &objection);
}

int host_visit_services(const struct model *before, const struct model *after, objection_visit *visit,
			void *context)
{
	const struct host_objector objector = {host_view_new(), visit, context};
	int result = objector.view ? 0 : -ENOMEM;

	for (size_t i = 0; !result && i < after->service_count; i++) {
		const struct service *service = &after->services[i];

		if (!before || !model_service(before, service->proto, &service->vip, service->port_low,
					      service->port_high))
			result = visit_service(&objector, service);
	}
	host_view_free(objector.view);
	return result;
}
