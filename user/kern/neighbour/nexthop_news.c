// SPDX-License-Identifier: Apache-2.0
/*
 * What the kernel tells of its own accord, and what has to be asked because it tells nothing.
 *
 * The kernel would notice a neighbour that moved when it sends to it; packets sent by XDP it does not see.
 * So nexthops_tick() asks: gateways every time, since much hangs on them and they are few; backends on link
 * by turns, and when the kernel holds them for stale.
 */
#include "nexthop_state.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "core/value/address_use.h"

enum {
	MESSAGES_AT_ONCE = 256,
	/* Addresses without a route that are asked about each tick, in case news got lost. */
	LOST_AT_ONCE = 32,
	/* Backends on link that are asked each tick whether they are still where they were. */
	ON_LINK_AT_ONCE = 64,
};

static const int groups[] = {RTNLGRP_LINK,       RTNLGRP_NEIGH,       RTNLGRP_IPV4_ROUTE,
			     RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
			     RTNLGRP_IPV4_RULE,  RTNLGRP_IPV6_RULE,   RTNLGRP_NEXTHOP};

int news_open(struct nexthops *nexthops)
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

static void mark_all(struct nexthops *nexthops)
{
	for (size_t i = 0; i < nexthops->count; i++)
		nexthops->sorted[i]->dirty = true;
}

static void mark_by_route(struct nexthops *nexthops, const struct nlmsghdr *news)
{
	const struct rtmsg *message = mnl_nlmsg_get_payload(news);
	const struct nlattr *by_type[RTA_MAX + 1];
	struct prefix net;

	attributes_read(news, sizeof *message, by_type, RTA_MAX + 1);
	net = prefix_from(message->rtm_family, by_type[RTA_DST], message->rtm_dst_len);
	for (size_t i = 0; i < nexthops->count; i++) {
		if (prefix_contains(&net, &nexthops->sorted[i]->now.address))
			nexthops->sorted[i]->dirty = true;
	}
}

/* Most news only say that a neighbour is still there: then nothing has to be asked. */
static void mark_by_neighbour(struct nexthops *nexthops, const struct nlmsghdr *news)
{
	const struct ndmsg *message = mnl_nlmsg_get_payload(news);
	const struct nlattr *by_type[NDA_MAX + 1];
	struct neighbour neighbour = {};
	struct address address;
	bool usable;

	attributes_read(news, sizeof *message, by_type, NDA_MAX + 1);
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
	answers_forget(nexthops);
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
			wanted_refresh(nexthops, nexthops->sorted[i], false);
	}
}

/* Some news were lost: everything is asked about. */
static void lose_track(struct nexthops *nexthops)
{
	answers_forget(nexthops);
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

/* Gateways always, backends on link by turns. */
static bool is_due(const struct nexthops *nexthops, size_t at)
{
	return nexthops->sorted[at]->now.gateway.family ||
	       (at + nexthops->count - nexthops->turn) % nexthops->count < ON_LINK_AT_ONCE;
}

/* A neighbour that did not answer since it was asked last is asked for anew, by broadcast. */
static void confirm(struct nexthops *nexthops, const struct wanted *wanted, bool due)
{
	const struct nexthop *now = &wanted->now;

	if (due && wanted->neighbour_state & NUD_PROBE) {
		neighbour_fail(nexthops->questions, now->ifindex, neighbour_of(now));
		neighbour_use(nexthops->questions, now->ifindex, neighbour_of(now), nexthops->protocol);
	} else if (wanted->neighbour_state & NUD_STALE ||
		   (due && wanted->neighbour_state & (NUD_REACHABLE | NUD_DELAY))) {
		neighbour_confirm(nexthops->questions, now->ifindex, neighbour_of(now));
	}
}

/* News tell of routes; but should any get lost, a few of those that lack one are asked about each tick. */
static void ask_about_lost(struct nexthops *nexthops)
{
	int asked = 0;

	for (size_t i = 0; i < nexthops->count && asked < LOST_AT_ONCE; i++) {
		struct wanted *wanted = nexthops->sorted[nexthops->lost++ % nexthops->count];

		if (wanted->now.resolved)
			continue;
		wanted_refresh(nexthops, wanted, false);
		asked++;
	}
}

static void tick_one(struct nexthops *nexthops, size_t at)
{
	struct wanted *wanted = nexthops->sorted[at];

	if (wanted->missing)
		wanted_refresh(nexthops, wanted, false);
	else if (wanted->now.resolved && !asked_before(nexthops, at))
		confirm(nexthops, wanted, is_due(nexthops, at));
	else if (wanted->now.ifindex && !wanted->now.resolved && !asked_before(nexthops, at))
		neighbour_seek(nexthops, wanted->now.ifindex, neighbour_of(&wanted->now));
}

int nexthops_tick(struct nexthops *nexthops)
{
	int r = nexthops_dispatch(nexthops); /* an answer that waits to be read is an answer */

	if (r)
		return r;
	answers_forget(nexthops);
	nexthops->turn = nexthops->count > ON_LINK_AT_ONCE ? nexthops->turn % nexthops->count : 0;
	for (size_t i = 0; i < nexthops->count; i++)
		tick_one(nexthops, i);
	nexthops->turn += ON_LINK_AT_ONCE;
	ask_about_lost(nexthops);
	return 0;
}
