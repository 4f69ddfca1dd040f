// SPDX-License-Identifier: Apache-2.0
/*
 * Next hops. The kernel decides: every finding is the answer to the question by which route it would send,
 * and to whom. Its notifications only say which addresses to ask about again.
 *
 * The kernel would notice a neighbour that moved when it sends to it; packets sent by XDP it does not see.
 * So nexthops_tick() asks: gateways every second, since much hangs on them and they are few; other neighbours
 * when the kernel holds them for stale.
 */
#include "nexthop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "netlink.h"
#include "route.h"

enum {
	MESSAGES_AT_ONCE = 256,
	LOST_AT_ONCE =
		32, /* addresses without a route that are asked about each second, in case news got lost */
};

struct wanted {
	struct nexthop now;
	unsigned int count;
	bool dirty;
	bool missing; /* the kernel lost its neighbour; the last known MAC stays until the next tick */
	uint16_t neighbour_state;
};

struct nexthops {
	nexthop_changed changed;
	void *context;
	struct netlink *questions;
	struct mnl_socket *news;
	struct wanted **sorted; /* by address */
	size_t count, room;
	size_t lost; /* where the asking about those without a route goes on */
	/* The answers to the last questions, for addresses that share them; forgotten when there are news. */
	struct link link;
	struct {
		uint32_t ifindex;
		struct address address;
		struct neighbour neighbour;
	} asked;
	char buffer[NETLINK_ROOM];
};

static const int groups[] = {RTNLGRP_LINK,       RTNLGRP_NEIGH,       RTNLGRP_IPV4_ROUTE,
			     RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
			     RTNLGRP_IPV4_RULE,  RTNLGRP_IPV6_RULE,   RTNLGRP_NEXTHOP};

static int news_open(struct nexthops *nexthops)
{
	int room = 4 << 20, fd;

	nexthops->news = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!nexthops->news || mnl_socket_bind(nexthops->news, 0, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	fd = mnl_socket_get_fd(nexthops->news);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		if (mnl_socket_setsockopt(nexthops->news, NETLINK_ADD_MEMBERSHIP, (void *)&groups[i],
					  sizeof groups[i]) < 0)
			return -errno;
	}
	return 0;
}

int nexthops_open(nexthop_changed changed, void *context, struct nexthops **ret)
{
	struct nexthops *nexthops = calloc(1, sizeof *nexthops);
	int r;

	if (!nexthops)
		return -ENOMEM;
	nexthops->changed = changed;
	nexthops->context = context;
	r = news_open(nexthops);
	if (!r)
		r = netlink_open(NETLINK_ROUTE, &nexthops->questions);
	if (r)
		nexthops_close(nexthops);
	else
		*ret = nexthops;
	return r;
}

void nexthops_close(struct nexthops *nexthops)
{
	if (!nexthops)
		return;
	if (nexthops->news)
		mnl_socket_close(nexthops->news);
	netlink_close(nexthops->questions);
	for (size_t i = 0; i < nexthops->count; i++)
		free(nexthops->sorted[i]);
	free(nexthops->sorted);
	free(nexthops);
}

int nexthops_fd(const struct nexthops *nexthops)
{
	return mnl_socket_get_fd(nexthops->news);
}

/* Whom the kernel would ask for a MAC address. */
static const struct address *neighbour_of(const struct nexthop *nexthop)
{
	return nexthop->gateway.family ? &nexthop->gateway : &nexthop->address;
}

static void forget_answers(struct nexthops *nexthops)
{
	nexthops->link.ifindex = nexthops->asked.ifindex = 0;
}

static int find_link(struct nexthops *nexthops, const struct route *route, struct nexthop *found)
{
	struct link *link = &nexthops->link;

	if (link->ifindex != route->ifindex && link_ask(nexthops->questions, route->ifindex, link)) {
		link->ifindex = 0;
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
	return -ENETDOWN;
}

/* A neighbour that is not usable is asked for. */
static const struct neighbour *ask_neighbour(struct nexthops *nexthops, uint32_t ifindex,
					     const struct address *address)
{
	if (nexthops->asked.ifindex == ifindex && address_equal(&nexthops->asked.address, address))
		return &nexthops->asked.neighbour;
	nexthops->asked.ifindex = ifindex;
	nexthops->asked.address = *address;
	nexthops->asked.neighbour = (struct neighbour){};
	if (neighbour_ask(nexthops->questions, ifindex, address, &nexthops->asked.neighbour) ||
	    !neighbour_usable(&nexthops->asked.neighbour))
		neighbour_use(nexthops->questions, ifindex, address);
	return &nexthops->asked.neighbour;
}

static void find_neighbour(struct nexthops *nexthops, const struct wanted *wanted, struct nexthop *found,
			   struct neighbour *neighbour)
{
	*neighbour = *ask_neighbour(nexthops, found->ifindex, neighbour_of(found));
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

static void find_next_hop(struct nexthops *nexthops, const struct wanted *wanted, struct nexthop *found,
			  struct neighbour *neighbour)
{
	struct route route;

	*neighbour = (struct neighbour){};
	if (route_ask(nexthops->questions, &found->address, &route) || !route.ifindex ||
	    (route.type != RTN_UNICAST && route.type != RTN_LOCAL)) {
		found->problem = "no route";
		return;
	}
	found->gateway = route.gateway;
	found->source = route.source;
	if (find_link(nexthops, &route, found))
		return;
	if (route.type == RTN_LOCAL)
		found->problem = "local address";
	else
		find_neighbour(nexthops, wanted, found, neighbour);
}

static bool same(const struct nexthop *a, const struct nexthop *b)
{
	return a->resolved == b->resolved && a->ifindex == b->ifindex && a->mtu == b->mtu &&
	       a->problem == b->problem && !strcmp(a->interface, b->interface) &&
	       !memcmp(a->mac, b->mac, sizeof a->mac) && !memcmp(a->own_mac, b->own_mac, sizeof a->own_mac) &&
	       address_equal(&a->gateway, &b->gateway) && address_equal(&a->source, &b->source);
}

static void refresh(struct nexthops *nexthops, struct wanted *wanted, bool first)
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

static size_t place_of(const struct nexthops *nexthops, const struct address *address, bool *ret_found)
{
	size_t low = 0, high = nexthops->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (address_compare(&nexthops->sorted[middle]->now.address, address) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_found = low < nexthops->count && address_equal(&nexthops->sorted[low]->now.address, address);
	return low;
}

static int insert(struct nexthops *nexthops, size_t at, struct wanted *wanted)
{
	if (nexthops->count == nexthops->room) {
		size_t room = nexthops->room ? 2 * nexthops->room : 64;
		struct wanted **sorted = reallocarray(nexthops->sorted, room, sizeof *sorted);

		if (!sorted)
			return -ENOMEM;
		nexthops->sorted = sorted;
		nexthops->room = room;
	}
	memmove(&nexthops->sorted[at + 1], &nexthops->sorted[at],
		(nexthops->count - at) * sizeof *nexthops->sorted);
	nexthops->sorted[at] = wanted;
	nexthops->count++;
	return 0;
}

int nexthops_want(struct nexthops *nexthops, const struct address *address)
{
	struct wanted *wanted;
	bool known;
	size_t at = place_of(nexthops, address, &known);

	if (address->family != 4 && address->family != 6)
		return -EINVAL;
	if (known) {
		nexthops->sorted[at]->count++;
		return 0;
	}
	wanted = calloc(1, sizeof *wanted);
	if (!wanted || insert(nexthops, at, wanted)) {
		free(wanted);
		return -ENOMEM;
	}
	wanted->count = 1;
	wanted->now.address = *address;
	refresh(nexthops, wanted, true);
	return 0;
}

void nexthops_forget(struct nexthops *nexthops, const struct address *address)
{
	bool known;
	size_t at = place_of(nexthops, address, &known);

	if (!known || --nexthops->sorted[at]->count)
		return;
	free(nexthops->sorted[at]);
	nexthops->count--;
	memmove(&nexthops->sorted[at], &nexthops->sorted[at + 1],
		(nexthops->count - at) * sizeof *nexthops->sorted);
}

const struct nexthop *nexthops_get(const struct nexthops *nexthops, const struct address *address)
{
	bool known;
	size_t at = place_of(nexthops, address, &known);

	return known ? &nexthops->sorted[at]->now : NULL;
}

static void mark_all(struct nexthops *nexthops)
{
	for (size_t i = 0; i < nexthops->count; i++)
		nexthops->sorted[i]->dirty = true;
}

static bool within(const struct address *address, const struct address *net, uint8_t bits)
{
	uint8_t mask = 0xff << (8 - bits % 8);

	if (address->family != net->family || memcmp(address->bytes, net->bytes, bits / 8))
		return false;
	return bits % 8 == 0 || !((address->bytes[bits / 8] ^ net->bytes[bits / 8]) & mask);
}

static void mark_by_route(struct nexthops *nexthops, const struct nlmsghdr *news)
{
	const struct rtmsg *message = mnl_nlmsg_get_payload(news);
	const struct nlattr *by_type[RTA_MAX + 1] = {};
	struct attributes attributes = {by_type, RTA_MAX + 1};
	struct address net = {.family = message->rtm_family == AF_INET ? 4 : 6};

	mnl_attr_parse(news, sizeof *message, attributes_collect, &attributes);
	if (by_type[RTA_DST])
		net = address_from(message->rtm_family, mnl_attr_get_payload(by_type[RTA_DST]));
	for (size_t i = 0; i < nexthops->count; i++) {
		if (within(&nexthops->sorted[i]->now.address, &net, message->rtm_dst_len))
			nexthops->sorted[i]->dirty = true;
	}
}

/* Most news only say that a neighbour is still there: then nothing has to be asked. */
static void mark_by_neighbour(struct nexthops *nexthops, const struct nlmsghdr *news)
{
	const struct ndmsg *message = mnl_nlmsg_get_payload(news);
	const struct nlattr *by_type[NDA_MAX + 1] = {};
	struct attributes attributes = {by_type, NDA_MAX + 1};
	struct neighbour neighbour = {};
	struct address address;
	bool usable;

	mnl_attr_parse(news, sizeof *message, attributes_collect, &attributes);
	if (!by_type[NDA_DST] || (message->ndm_family != AF_INET && message->ndm_family != AF_INET6))
		return;
	address = address_from(message->ndm_family, mnl_attr_get_payload(by_type[NDA_DST]));
	neighbour_read(news, &neighbour);
	usable = news->nlmsg_type == RTM_NEWNEIGH && neighbour_usable(&neighbour);
	for (size_t i = 0; i < nexthops->count; i++) {
		struct wanted *wanted = nexthops->sorted[i];

		if (wanted->now.ifindex != (uint32_t)message->ndm_ifindex ||
		    !address_equal(neighbour_of(&wanted->now), &address))
			continue;
		if (usable && wanted->now.resolved && !wanted->missing &&
		    !memcmp(wanted->now.mac, neighbour.mac, sizeof neighbour.mac))
			wanted->neighbour_state = neighbour.state;
		else
			wanted->dirty = true;
	}
}

static void mark(struct nexthops *nexthops, const struct nlmsghdr *news)
{
	forget_answers(nexthops);
	switch (news->nlmsg_type) {
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		mark_by_route(nexthops, news);
		break;
	case RTM_NEWNEIGH:
	case RTM_DELNEIGH:
		mark_by_neighbour(nexthops, news);
		break;
	default: /* interfaces, addresses, rules, next hop objects: seldom, and far-reaching */
		mark_all(nexthops);
	}
}

static void refresh_dirty(struct nexthops *nexthops)
{
	for (size_t i = 0; i < nexthops->count; i++) {
		if (nexthops->sorted[i]->dirty)
			refresh(nexthops, nexthops->sorted[i], false);
	}
}

/* Some news were lost: everything is asked about. */
static void lose_track(struct nexthops *nexthops)
{
	forget_answers(nexthops);
	mark_all(nexthops);
}

int nexthops_dispatch(struct nexthops *nexthops)
{
	for (int i = 0; i < MESSAGES_AT_ONCE; i++) {
		const struct nlmsghdr *news = (const void *)nexthops->buffer;
		ssize_t received =
			mnl_socket_recvfrom(nexthops->news, nexthops->buffer, sizeof nexthops->buffer);
		int length = received;

		if (received < 0 && errno == EAGAIN)
			break;
		if (received < 0 && errno == ENOBUFS)
			lose_track(nexthops);
		else if (received < 0 && errno != EINTR)
			return -errno;
		for (; received > 0 && mnl_nlmsg_ok(news, length); news = mnl_nlmsg_next(news, &length))
			mark(nexthops, news);
	}
	refresh_dirty(nexthops);
	return 0;
}

/* Several addresses behind one gateway are one question. */
static bool asked_before(const struct nexthops *nexthops, size_t at)
{
	const struct nexthop *now = &nexthops->sorted[at]->now;

	for (size_t i = at; now->gateway.family && i-- > 0;) {
		const struct nexthop *other = &nexthops->sorted[i]->now;

		if (other->ifindex == now->ifindex && address_equal(&other->gateway, &now->gateway))
			return true;
	}
	return false;
}

/* A gateway that did not answer for a second is asked for anew, by broadcast. */
static void confirm(struct nexthops *nexthops, const struct wanted *wanted)
{
	const struct nexthop *now = &wanted->now;
	bool gateway = now->gateway.family;

	if (gateway && wanted->neighbour_state & NUD_PROBE) {
		neighbour_fail(nexthops->questions, now->ifindex, neighbour_of(now));
		neighbour_use(nexthops->questions, now->ifindex, neighbour_of(now));
	} else if (wanted->neighbour_state & NUD_STALE ||
		   (gateway && wanted->neighbour_state & (NUD_REACHABLE | NUD_DELAY))) {
		neighbour_confirm(nexthops->questions, now->ifindex, neighbour_of(now));
	}
}

/* News tell of routes; but should any get lost, a few of those that lack one are asked about each second. */
static void ask_about_lost(struct nexthops *nexthops)
{
	int asked = 0;

	for (size_t i = 0; i < nexthops->count && asked < LOST_AT_ONCE; i++) {
		struct wanted *wanted = nexthops->sorted[nexthops->lost++ % nexthops->count];

		if (wanted->now.resolved)
			continue;
		refresh(nexthops, wanted, false);
		asked++;
	}
}

int nexthops_tick(struct nexthops *nexthops)
{
	forget_answers(nexthops);
	for (size_t i = 0; i < nexthops->count; i++) {
		struct wanted *wanted = nexthops->sorted[i];

		if (wanted->missing)
			refresh(nexthops, wanted, false);
		else if (wanted->now.resolved && !asked_before(nexthops, i))
			confirm(nexthops, wanted);
		else if (wanted->now.ifindex && !wanted->now.resolved && !asked_before(nexthops, i))
			ask_neighbour(nexthops, wanted->now.ifindex, neighbour_of(&wanted->now));
	}
	ask_about_lost(nexthops);
	return 0;
}
