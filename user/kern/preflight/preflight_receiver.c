// SPDX-License-Identifier: Apache-2.0
/* The preflight of a backend host: VIPs, ARP, reverse path filter, segment sizes, offloads. */
#include <holdfast/abi.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "checks.h"
#include "kern/base/route.h"
#include "kern/receiver/receiver_attach.h"
#include "kern/receiver/receiver_fill.h"

static bool has_vip(const struct address *vips, size_t count, const struct address *vip)
{
	for (size_t i = 0; i < count; i++) {
		if (address_equal(&vips[i], vip))
			return true;
	}
	return false;
}

static void check_receiver_vips(const struct receiver_state *state, struct findings *findings)
{
	static const struct address none[1];
	struct address *host;
	size_t count = 0;
	char text[ADDRESS_TEXT];

	if (loopback_vips(&host, &count)) {
		host = NULL;
		count = 0;
	}
	if (!count)
		finding_add(findings, FINDING_FAULT,
			    "the host has no VIP on its loopback\n"
			    "ip addr add VIP/32 dev lo");
	for (size_t i = 0; i < count && state->ifindex; i++) {
		if (has_vip(state->vips, state->vip_count, &host[i]))
			continue;
		finding_add(findings, FINDING_WARN,
			    "the receiver does not know %s, which is on the loopback\n"
			    "holdfast receiver attach %s again",
			    address_text(&host[i], text), state->interface);
	}
	for (size_t i = 0; i < state->vip_count; i++) {
		if (has_vip(host ?: none, count, &state->vips[i]))
			continue;
		finding_add(findings, FINDING_FAULT,
			    "the receiver unwraps for %s, which is not on the loopback\n"
			    "ip addr add %s/%d dev lo",
			    address_text(&state->vips[i], text), text, state->vips[i].family == 6 ? 128 : 32);
	}
	free(host);
}

static void check_receiver_arp(const char *interface, struct findings *findings)
{
	if (conf_read(interface, "arp_ignore") == 0)
		finding_add(findings, FINDING_FAULT,
			    "arp_ignore is 0: the host answers ARP for the VIP, and draws its packets past "
			    "the balancer\n"
			    "sysctl -w net.ipv4.conf.all.arp_ignore=1");
	if (conf_read(interface, "arp_announce") < 2)
		finding_add(findings, FINDING_WARN,
			    "arp_announce is not 2: the host may ask for neighbours in the name of the VIP\n"
			    "sysctl -w net.ipv4.conf.all.arp_announce=2");
}

struct routes {
	uint32_t ifindex, mtu;
	unsigned int large; /* routes that let clients send segments that do not come through wrapped */
	char first[PREFIX_TEXT];
	uint32_t first_mss;
	uint32_t room; /* of a segment in a packet that is not wrapped, in the first one's family */
};

/* How packets will be wrapped is not known here: what leaves no room for this is complained of. */
static uint32_t least_overhead(void)
{
	return wrap_overhead(HF_ENCAP_IP, 6);
}

static void route_judge(const struct rtmsg *message, const struct nlattr *by_type[], struct routes *routes)
{
	const struct nlattr *metrics[RTAX_MAX + 1] = {};
	const struct prefix net = prefix_from(message->rtm_family, by_type[RTA_DST], message->rtm_dst_len);
	uint32_t headers = segment_headers(message->rtm_family == AF_INET ? 4 : 6),
		 mss = routes->mtu - headers;

	if (by_type[RTA_METRICS])
		attributes_read_nested(by_type[RTA_METRICS], metrics, RTAX_MAX + 1);
	if (metrics[RTAX_MTU])
		mss = mnl_attr_get_u32(metrics[RTAX_MTU]) - headers;
	if (metrics[RTAX_ADVMSS])
		mss = mnl_attr_get_u32(metrics[RTAX_ADVMSS]);
	if (mss <= routes->mtu - least_overhead() - headers || routes->large++)
		return;
	prefix_text(&net, routes->first);
	routes->first_mss = mss;
	routes->room = routes->mtu - headers;
}

/* Clients are behind gateways; routes on link lead to neighbours, of whom nothing is said here. */
static int route_visit(const struct nlmsghdr *answer, void *context)
{
	const struct rtmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[RTA_MAX + 1];
	struct routes *routes = context;

	attributes_read(answer, sizeof *message, by_type, RTA_MAX + 1);
	if (message->rtm_type == RTN_UNICAST && message->rtm_table == RT_TABLE_MAIN && by_type[RTA_GATEWAY] &&
	    by_type[RTA_OIF] && mnl_attr_get_u32(by_type[RTA_OIF]) == routes->ifindex)
		route_judge(message, by_type, routes);
	return 0;
}

static void check_segments(const char *interface, struct findings *findings)
{
	struct routes routes = {.ifindex = if_nametoindex(interface)};
	struct netlink *netlink;
	struct link link = {};

	if (netlink_open(NETLINK_ROUTE, &netlink))
		return;
	if (!link_ask(netlink, routes.ifindex, &link) && link.mtu < PACKET_MAX + least_overhead()) {
		routes.mtu = link.mtu;
		netlink_list(netlink, RTM_GETROUTE, sizeof(struct rtmsg), route_visit, &routes);
	}
	netlink_close(netlink);
	if (!routes.large)
		return;
	/* For each way to be wrapped, as the pools' encap says. */
	finding_add(findings, FINDING_WARN,
		    "MTU %u, and %u route%s such as %s let clients send segments of %u bytes: wrapped, they "
		    "are too large\n"
		    "MTU %u on the whole way from the balancer (encap gue: %u), or on these routes `advmss "
		    "%u` for encap ipip, %u for gre, %u for gue to IPv4 backends, %u to IPv6 ones",
		    routes.mtu, routes.large, routes.large == 1 ? "" : "s", routes.first, routes.first_mss,
		    PACKET_MAX + least_overhead(), PACKET_MAX + wrap_overhead(HF_ENCAP_GUE, 6),
		    routes.room - least_overhead(), routes.room - wrap_overhead(HF_ENCAP_GRE, 6),
		    routes.room - wrap_overhead(HF_ENCAP_GUE, 4),
		    routes.room - wrap_overhead(HF_ENCAP_GUE, 6));
}

/* The tc program sends what XDP cannot. */
static void check_tc(const struct receiver_state *state, struct findings *findings)
{
	if (!state->tc) {
		finding_add(findings, FINDING_WARN,
			    "its tc program is missing: packets for the next hop are lost where a route or a "
			    "neighbour is needed\n"
			    "holdfast receiver attach %s again",
			    state->interface);
	} else if (!state->tc_first) {
		finding_add(findings, FINDING_WARN,
			    "another tc filter sees packets before its tc program: what that filter takes is "
			    "not passed on\n"
			    "give the other filter a later place: tc filter show dev %s ingress; bpftool net "
			    "show dev %s",
			    state->interface, state->interface);
	}
}

/* Unlike routes and VIPs, these need no options to be read again. */
static void check_host(const struct receiver_state *state, struct findings *findings)
{
	bool addresses, macs;
	int r = host_read_again(state, &addresses, &macs);

	if (addresses)
		finding_add(findings, FINDING_NOTE,
			    "the host's addresses have changed since they were last read: its program knows "
			    "them now");
	if (macs)
		finding_add(findings, FINDING_NOTE,
			    "the MAC addresses of %s, or of macvlan devices on it, have changed since they "
			    "were last read: its program knows them now",
			    state->interface);
	if (!r)
		return;
	finding_add(
		findings, FINDING_WARN,
		"the host's addresses cannot be read again: %s. Its program knows those of an earlier time\n"
		"holdfast receiver attach %s with the same options",
		strerror(-r), state->interface);
}

static void check_routes(const struct receiver_state *state, struct findings *findings)
{
	if (!state->ways_lead_out) {
		finding_add(findings, FINDING_WARN,
			    "no route leads out of %s: packets for the next hop go back to who sent them, "
			    "which is right only if that is a router\n"
			    "ip route add PREFIX dev %s, then attach again",
			    state->interface, state->interface);
	} else if (state->tc && !state->ways_current) {
		finding_add(findings, FINDING_WARN,
			    "the host's routes have changed since the receiver was attached\n"
			    "holdfast receiver attach %s again",
			    state->interface);
	}
}

struct silent {
	uint32_t ifindex;
	unsigned int count;
	char first[ADDRESS_TEXT];
};

static int silent_visit(const struct nlmsghdr *answer, void *context)
{
	const struct ndmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[NDA_MAX + 1];
	struct silent *silent = context;
	struct address address;

	attributes_read(answer, sizeof *message, by_type, NDA_MAX + 1);
	if ((uint32_t)message->ndm_ifindex != silent->ifindex || !(message->ndm_state & NUD_FAILED) ||
	    !by_type[NDA_DST] || silent->count++)
		return 0;
	address = address_from(message->ndm_family, mnl_attr_get_payload(by_type[NDA_DST]));
	address_text(&address, silent->first);
	return 0;
}

/* Neighbours that did not answer: next hops, or others. */
static void check_silent(struct netlink *netlink, const struct receiver_state *state,
			 struct findings *findings)
{
	struct silent silent = {.ifindex = state->ifindex};

	netlink_list(netlink, RTM_GETNEIGH, sizeof(struct ndmsg), silent_visit, &silent);
	if (!silent.count)
		return;
	finding_add(findings, FINDING_NOTE,
		    "%u neighbour%s such as %s did not answer on %s: packets for a next hop there are lost\n"
		    "a segment that all backends share, or a route by a gateway: ip route get %s",
		    silent.count, silent.count == 1 ? "" : "s", silent.first, state->interface, silent.first);
}

static void check_neighbours(const struct receiver_state *state, struct findings *findings)
{
	struct netlink *netlink;
	struct link link = {};

	if (netlink_open(NETLINK_ROUTE, &netlink))
		return;
	if (!link_ask(netlink, state->ifindex, &link) && link.flags & IFF_NOARP)
		finding_add(findings, FINDING_WARN,
			    "%s has no ARP: next hops on its segment cannot be resolved\n"
			    "ip link set %s arp on",
			    state->interface, state->interface);
	check_silent(netlink, state, findings);
	netlink_close(netlink);
}

static int check_one(const struct receiver_state *state, void *context)
{
	struct findings *findings = context;
	enum interface_mode mode = state->ifindex && state->generic ? MODE_GENERIC : MODE_AUTO;

	if (!check_interface(state->interface, mode, state->generic, findings))
		return 0;
	findings_about(findings, "receiver %s", state->interface);
	if (!state->ifindex) {
		finding_add(findings, FINDING_WARN,
			    "no receiver is attached\n"
			    "holdfast receiver attach %s --from PREFIX",
			    state->interface);
	} else if (!state->current) {
		finding_add(findings, FINDING_WARN,
			    "another version of holdfast attached it: its program runs, but its settings "
			    "cannot be read\n"
			    "holdfast receiver attach %s with the same options",
			    state->interface);
	}
	if (!state->ifindex || state->current)
		check_receiver_vips(state, findings);
	check_receiver_arp(state->interface, findings);
	check_segments(state->interface, findings);
	if (state->ifindex && state->current) {
		check_host(state, findings);
		check_tc(state, findings);
		check_routes(state, findings);
		check_neighbours(state, findings);
	}
	return 0;
}

struct choice {
	const char *interface;
	struct receiver_state state;
};

static int choose(const struct receiver_state *state, void *context)
{
	struct choice *choice = context;

	if (strcmp(state->interface, choice->interface))
		return 0;
	choice->state = *state;
	return 1;
}

int preflight_receiver(const char *interface, struct findings **ret)
{
	struct choice choice = {.interface = interface};
	struct findings *findings;
	int r = findings_new(&findings);

	if (r)
		return r;
	if (interface) {
		snprintf(choice.state.interface, sizeof choice.state.interface, "%s", interface);
		r = receiver_list(choose, &choice);
		if (r >= 0)
			r = check_one(&choice.state, findings);
	} else {
		r = receiver_list(check_one, findings);
		if (!r && !findings->count) {
			findings_about(findings, "receivers");
			finding_add(findings, FINDING_WARN,
				    "no interface has a receiver\n"
				    "holdfast receiver attach IF --from PREFIX");
		}
	}
	return findings_finish(findings, r, ret);
}
