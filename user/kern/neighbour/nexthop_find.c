// SPDX-License-Identifier: Apache-2.0
/* Looking into one address: route, interface, neighbour, as the kernel would go about it. */
#include "nexthop_state.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

void answers_forget(struct nexthops *nexthops)
{
	nexthops->link.ifindex = nexthops->asked.ifindex = 0;
}

static const struct link *link_seek(struct nexthops *nexthops, uint32_t ifindex)
{
	struct link *link = &nexthops->link;

	if (link->ifindex == ifindex)
		return link;
	if (!link_ask(nexthops->questions, ifindex, link))
		return link;
	link->ifindex = 0;
	return NULL;
}

enum link_state nexthops_link(struct nexthops *nexthops, uint32_t ifindex)
{
	return link_state(link_seek(nexthops, ifindex));
}

static int find_way_out(struct nexthops *nexthops, const struct route *route, struct nexthop *found)
{
	const struct link *link = link_seek(nexthops, route->ifindex);

	if (!link) {
		found->problem = "no route"; /* the interface has just gone */
		return -ENODEV;
	}
	found->ifindex = link->ifindex;
	found->mtu = route->mtu && route->mtu < link->mtu ? route->mtu : link->mtu;
	snprintf(found->interface, sizeof found->interface, "%s", link->name);
	memcpy(found->own_mac, link->mac, sizeof found->own_mac);
	if (link_carries(link))
		return 0;
	found->problem = "interface down";
	found->certain = true;
	return -ENETDOWN;
}

const struct neighbour *neighbour_seek(struct nexthops *nexthops, uint32_t ifindex,
				       const struct address *address)
{
	if (nexthops->asked.ifindex == ifindex && address_equal(&nexthops->asked.address, address))
		return &nexthops->asked.neighbour;
	nexthops->asked.ifindex = ifindex;
	nexthops->asked.address = *address;
	nexthops->asked.neighbour = (struct neighbour){};
	if (neighbour_ask(nexthops->questions, ifindex, address, &nexthops->asked.neighbour) ||
	    !neighbour_usable(&nexthops->asked.neighbour))
		neighbour_use(nexthops->questions, ifindex, address, nexthops->protocol);
	return &nexthops->asked.neighbour;
}

static void find_neighbour(struct nexthops *nexthops, const struct wanted *wanted, struct nexthop *found,
			   struct neighbour *neighbour)
{
	*neighbour = *neighbour_seek(nexthops, found->ifindex, neighbour_of(found));
	if (neighbour_usable(neighbour)) {
		memcpy(found->mac, neighbour->mac, sizeof found->mac);
		found->resolved = true;
	} else if (wanted->now.resolved && !wanted->missing && wanted->now.ifindex == found->ifindex &&
		   address_equal(neighbour_of(&wanted->now), neighbour_of(found))) {
		/* What the kernel has just lost may be found again in a moment. */
		memcpy(found->mac, wanted->now.mac, sizeof found->mac);
		found->resolved = true;
	} else {
		found->problem = "neighbour unresolved";
	}
}

/*
 * What it means that the kernel gives no route. The errors are those of fib_props (net/ipv4/fib_semantics.c)
 * and of ip6_rt_type_to_error() (net/ipv6/route.c).
 */
static void name_refusal(int error, struct nexthop *found)
{
	found->certain = true;
	switch (error) {
	case -EINVAL:
		found->problem = "no route: blackhole";
		break;
	case -EHOSTUNREACH:
		found->problem = "no route: unreachable";
		break;
	case -EACCES:
		found->problem = "no route: prohibit";
		break;
	default:
		found->problem = "no route";
		found->certain = false;
	}
}

static void find_next_hop(struct nexthops *nexthops, const struct wanted *wanted, struct nexthop *found,
			  struct neighbour *neighbour)
{
	struct route route;
	int error = route_ask(nexthops->questions, &found->address, &route);

	*neighbour = (struct neighbour){};
	if (error || !route.ifindex || (route.type != RTN_UNICAST && route.type != RTN_LOCAL)) {
		name_refusal(error, found);
		return;
	}
	found->gateway = route.gateway;
	found->source = route.source;
	if (find_way_out(nexthops, &route, found))
		return;
	if (route.type == RTN_LOCAL) {
		found->problem = "local address";
		found->certain = true;
	} else {
		find_neighbour(nexthops, wanted, found, neighbour);
	}
}

static bool same(const struct nexthop *a, const struct nexthop *b)
{
	return a->resolved == b->resolved && a->ifindex == b->ifindex && a->mtu == b->mtu &&
	       a->problem == b->problem && !strcmp(a->interface, b->interface) &&
	       !memcmp(a->mac, b->mac, sizeof a->mac) && !memcmp(a->own_mac, b->own_mac, sizeof a->own_mac) &&
	       address_equal(&a->gateway, &b->gateway) && address_equal(&a->source, &b->source);
}

void wanted_refresh(struct nexthops *nexthops, struct wanted *wanted, bool first)
{
	struct nexthop found = {.address = wanted->now.address};
	struct neighbour neighbour;
	bool differs;

	wanted->dirty = false;
	find_next_hop(nexthops, wanted, &found, &neighbour);
	wanted->neighbour_state = neighbour.state;
	wanted->missing = found.resolved && !neighbour_usable(&neighbour);
	differs = first || !same(&found, &wanted->now);
	wanted->now = found;
	if (differs && nexthops->changed)
		nexthops->changed(&wanted->now, nexthops->context);
}
