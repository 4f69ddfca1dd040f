// SPDX-License-Identifier: Apache-2.0
/* The preflight of a balancer: its interfaces, the paths to its backends, and its VIPs. */
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include "checks.h"
#include "host_objection.h"
#include "kern/base/ethtool.h"
#include "kern/base/route.h"
#include "kern/xdp/holder.h"

enum {
	PATIENCE = 400, /* ms for neighbours that are not resolved yet */
	ROUNDS = 8,
};

/* In generic mode the kernel sends for the driver. */
static bool is_native(const struct interface *interface)
{
	return interface->mode != MODE_GENERIC && !interface_is_generic(interface->name);
}

/* How packets get out of an interface: as they came in by it, or redirected from another. */
static void check_way_out(const struct model *model, const char *interface, struct findings *findings)
{
	bool returned = false, redirected = false;
	char driver[32] = "";

	for (size_t i = 0; i < model->interface_count; i++) {
		bool same = !strcmp(model->interfaces[i].name, interface);

		if (is_native(&model->interfaces[i]))
			*(same ? &returned : &redirected) = true;
	}
	ethtool_driver(interface, driver);
	if (!strcmp(driver, "veth") && (returned || redirected))
		check_veth(interface, returned, findings);
	else if (redirected)
		check_redirect(interface, findings);
}

/* Of a segment to the pool's services: those of IPv6 are larger. */
static uint32_t pool_segment_headers(const struct model *model, const struct pool *pool)
{
	for (size_t i = 0; i < model->service_count; i++) {
		if (model->services[i].vip.family == 6 && !strcmp(model->services[i].pool, pool->name))
			return segment_headers(6);
	}
	return segment_headers(4);
}

static void check_path(const struct model *model, const struct pool *pool, const struct backend *backend,
		       const struct nexthop *nexthop, struct findings *findings)
{
	uint32_t need = PACKET_MAX + wrap_overhead(pool->encap, backend->address.family);
	char label[BACKEND_TEXT], text[ADDRESS_TEXT];

	findings_about(findings, "backend %s/%s", pool->name, backend_label(backend, label));
	if (!nexthop->resolved) {
		finding_add(findings, FINDING_FAULT,
			    !strcmp(nexthop->problem, "local address")
				    ? "%s: %s\na backend on another host"
				    : "%s: %s\nip route get %s, ip neighbour: a way there, and a host that "
				      "answers",
			    address_text(&backend->address, text), nexthop->problem, text);
		return;
	}
	if (nexthop->mtu < need)
		finding_add(findings, FINDING_WARN,
			    "the path's MTU is %u: packets of more than %u bytes cannot be wrapped for it\n"
			    "MTU %u on %s and on the way there, or advmss %u on the backend's routes",
			    nexthop->mtu, nexthop->mtu - (need - PACKET_MAX), need, nexthop->interface,
			    nexthop->mtu - (need - PACKET_MAX) - pool_segment_headers(model, pool));
	check_way_out(model, nexthop->interface, findings);
}

/* Waits a little for neighbours to answer; a host that does not is found out in one PATIENCE for all. */
static void wait_for_neighbours(struct nexthops *nexthops)
{
	struct pollfd news = {.fd = nexthops_fd(nexthops), .events = POLLIN};

	for (int i = 0; i < ROUNDS; i++) {
		poll(&news, 1, PATIENCE / ROUNDS);
		nexthops_dispatch(nexthops);
	}
}

/* Backends on link are neighbours each, and the kernel keeps so many and no more. */
static void check_neighbour_table(const struct model *model, const struct nexthops *nexthops,
				  struct findings *findings)
{
	static const uint8_t families[] = {4, 6};

	for (size_t f = 0; f < sizeof families; f++) {
		/* Absent outside the host's first network namespace. */
		long limit = number_read("/proc/sys/net/ipv%u/neigh/default/gc_thresh3", families[f]);
		long count = 0;

		for (size_t i = 0; i < model->pool_count; i++) {
			for (size_t j = 0; j < model->pools[i].backend_count; j++) {
				const struct address *address = &model->pools[i].backends[j].address;

				count += address->family == families[f] &&
					 !nexthops_get(nexthops, address)->gateway.family;
			}
		}
		if (limit <= 0 || count < limit / 2)
			continue;
		findings_about(findings, "neighbours");
		finding_add(findings, FINDING_WARN,
			    "%ld backends are on link, and the kernel keeps %ld IPv%u neighbours at most\n"
			    "sysctl -w net.ipv%u.neigh.default.gc_thresh3=%ld",
			    count, limit, families[f], families[f], 4 * count);
	}
}

static int check_paths(const struct model *model, struct findings *findings)
{
	struct nexthops *nexthops;
	bool all = true;
	int r = nexthops_open(NULL, NULL, &nexthops);

	for (size_t i = 0; !r && i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];

		for (size_t j = 0; !r && j < pool->backend_count; j++) {
			r = nexthops_want(nexthops, &pool->backends[j].address);
			all = all && !r && nexthops_get(nexthops, &pool->backends[j].address)->resolved;
		}
	}
	if (r)
		return r;
	if (!all)
		wait_for_neighbours(nexthops);
	for (size_t i = 0; i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];

		for (size_t j = 0; j < pool->backend_count; j++)
			check_path(model, pool, &pool->backends[j],
				   nexthops_get(nexthops, &pool->backends[j].address), findings);
	}
	check_neighbour_table(model, nexthops, findings);
	r = check_rules(model, nexthops, findings);
	nexthops_close(nexthops);
	return r;
}

/* An interface that is not attached but answers ARP for a local VIP draws its packets past the program. */
static void check_arp(const struct model *model, struct findings *findings)
{
	struct if_nameindex *all = if_nameindex();

	for (const struct if_nameindex *one = all; one && one->if_name; one++) {
		if (model_interface(model, one->if_name) || !strcmp(one->if_name, "lo") ||
		    conf_read(one->if_name, "arp_ignore") != 0)
			continue;
		finding_add(
			findings, FINDING_WARN,
			"answers ARP on %s, which is not attached: packets that come there are not balanced\n"
			"sysctl -w net.ipv4.conf.%s.arp_ignore=1, or attach to it",
			one->if_name, one->if_name);
	}
	if (all)
		if_freenameindex(all);
}

static void check_vip(const struct model *model, const struct service *service, struct netlink *netlink,
		      struct findings *findings)
{
	char text[ADDRESS_TEXT];
	struct route route = {};

	findings_about(findings, "VIP %s", address_text(&service->vip, text));
	if (route_ask(netlink, &service->vip, &route) || route.type != RTN_LOCAL)
		return;
	finding_add(findings, FINDING_WARN,
		    "is a local address: what the program passes ends here, and probes through the VIP are "
		    "refused\n"
		    "ip addr del %s on this host; let a router send the VIP here (BGP, a static route)",
		    text);
	if (service->vip.family == 4)
		check_arp(model, findings);
}

static int check_vips(const struct model *model, struct findings *findings)
{
	struct netlink *netlink;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	for (size_t i = 0; i < model->service_count;
	     i++) { /* sorted: services of one VIP may not be neighbours */
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = address_equal(&model->services[j].vip, &model->services[i].vip);
		if (!seen)
			check_vip(model, &model->services[i], netlink, findings);
	}
	netlink_close(netlink);
	return 0;
}

static int find_objection(const struct objection *objection, void *findings)
{
	static const enum finding_severity severities[] = {
		[OBJECTION_NOTE] = FINDING_NOTE,
		[OBJECTION_MISTAKE] = FINDING_WARN,
		[OBJECTION_WRONG] = FINDING_FAULT,
	};
	const struct refusal *refusal = &objection->refusal;

	findings_about(findings, "%s", refusal->where);
	finding_add(findings, severities[objection->weight], "%s\n%s", refusal->what, refusal->right);
	return 0;
}

/* What a change would be refused for. Backends at the host's own addresses are paths that do not work. */
static int check_objections(const struct model *model, struct findings *findings)
{
	int r = objections_visit(NULL, model, find_objection, findings);

	return r ? r : host_visit_services(NULL, model, find_objection, findings);
}

int preflight_balancer(const struct model *model, struct findings **ret)
{
	struct findings *findings;
	int r = findings_new(&findings);

	if (r)
		return r;
	if (!model->interface_count) {
		findings_about(findings, "interfaces");
		finding_add(findings, FINDING_WARN,
			    "nothing is attached\n"
			    "holdfast interface attach IF");
	}
	for (size_t i = 0; i < model->interface_count; i++) {
		const struct interface *interface = &model->interfaces[i];

		check_interface(interface->name, interface->mode, interface_is_generic(interface->name),
				findings);
	}
	r = check_paths(model, findings);
	if (!r)
		r = check_vips(model, findings);
	if (!r)
		r = check_objections(model, findings);
	return findings_finish(findings, r, ret);
}
