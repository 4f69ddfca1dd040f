// SPDX-License-Identifier: Apache-2.0
/*
 * Next hops are looked up by their destination, as of a packet of the host itself: no source address, no
 * mark, no interface it came in by. A rule that asks for one of these is passed over, though packets to
 * backends may have it. The check names such a rule only where it decides: it comes before the one that gave
 * the route, its table has a route to the backend, and that route is another.
 */
#include "checks.h"

#include <errno.h>
#include <holdfast/abi.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "core/value/address_use.h"
#include "rules.h"

struct inquiry {
	const struct model *model;
	const struct nexthops *nexthops;
	struct netlink *netlink;
	struct rules rules;
	struct table_routes routes; /* of the table of the rule that is looked into */
};

/* What packets of a pool have --------------------------------------------------------- */

static bool source_may_be(const struct pool *pool, const struct nexthop *nexthop, const struct prefix *from)
{
	const struct prefix *source = nexthop->address.family == 4 ? &pool->source4 : &pool->source6;

	if (pool->encap == HF_ENCAP_L2) /* the client's */
		return true;
	if (source->address.family)
		return prefix_contains(source, &from->address) || prefix_contains(from, &source->address);
	return !nexthop->source.family || prefix_contains(from, &nexthop->source);
}

static bool proto_may_be(const struct pool *pool, uint8_t proto)
{
	switch (pool->encap) {
	case HF_ENCAP_GUE:
		return proto == IPPROTO_UDP;
	case HF_ENCAP_GRE:
		return proto == IPPROTO_GRE;
	case HF_ENCAP_L2:
		return true;
	default:
		return proto == IPPROTO_IPIP || proto == IPPROTO_IPV6;
	}
}

/* Whether all that the rule asks for, but for an inversion, may be so of a packet. */
static bool may_meet(const struct model *model, const struct pool *pool, const struct nexthop *nexthop,
		     const struct rule *rule)
{
	if (rule->alien || !prefix_contains(&rule->to, &nexthop->address))
		return false;
	if (rule->iif[0] && strcmp(rule->iif, "lo") != 0 && !model_interface(model, rule->iif))
		return false;
	if (rule->proto && !proto_may_be(pool, rule->proto))
		return false;
	if (rule->ports && pool->encap != HF_ENCAP_GUE && pool->encap != HF_ENCAP_L2)
		return false;
	return !rule->from.bits || source_may_be(pool, nexthop, &rule->from);
}

/* What a rule changes ---------------------------------------------------------------- */

/* Whether the lookup of a destination ends before it comes to the rule. */
static bool decided_before(const struct inquiry *inquiry, const struct rule *rule,
			   const struct nexthop *nexthop)
{
	struct route route;

	if (route_ask(inquiry->netlink, &nexthop->address, &route))
		route.table = RT_TABLE_UNSPEC;
	for (const struct rule *one = inquiry->rules.list; one < rule; one++) {
		bool meets = rule_is_plain(one) && prefix_contains(&one->to, &nexthop->address);

		if (meets == one->inverted)
			continue;
		if (rule_refuses(one))
			return true;
		if (one->action == FR_ACT_TO_TBL && one->table == route.table && one->suppressed < 0)
			return true;
	}
	return false;
}

static bool same_way(const struct nexthop *nexthop, const struct route *route)
{
	return route->type == RTN_UNICAST && route->ifindex == nexthop->ifindex &&
	       address_equal(&route->gateway, &nexthop->gateway);
}

static bool leads_elsewhere(const struct inquiry *inquiry, const struct rule *rule,
			    const struct nexthop *nexthop)
{
	const struct route *route;

	if (rule->action != FR_ACT_TO_TBL)
		return rule_refuses(rule) || rule->action == FR_ACT_GOTO;
	route = table_find(&inquiry->routes, &nexthop->address, rule->suppressed);
	if (!route || route->type == RTN_THROW)
		return false;
	/* An inverted rule is followed, and packets may pass it over. */
	return rule->inverted ? same_way(nexthop, route) : !same_way(nexthop, route);
}

static bool changes_way(const struct inquiry *inquiry, const struct rule *rule, const struct pool *pool,
			const struct nexthop *nexthop)
{
	return may_meet(inquiry->model, pool, nexthop, rule) && leads_elsewhere(inquiry, rule, nexthop) &&
	       !decided_before(inquiry, rule, nexthop);
}

/* What check says of it ------------------------------------------------------------------ */

static const char *way_text(const struct nexthop *nexthop, char text[128])
{
	char gateway[ADDRESS_TEXT];

	if (!nexthop->ifindex)
		return nexthop->problem;
	snprintf(text, 128, "%s%s%s", nexthop->interface, nexthop->gateway.family ? " by " : "",
		 nexthop->gateway.family ? address_text(&nexthop->gateway, gateway) : "");
	return text;
}

static void tell_rule(const struct rule *rule, const struct nexthop *nexthop, const char *backends,
		      struct findings *findings)
{
	char words[RULE_TEXT], way[128], address[ADDRESS_TEXT], right[256];
	const char *family = nexthop->address.family == 6 ? "-6 " : "";

	address_text(&nexthop->address, address);
	if (rule->action == FR_ACT_TO_TBL && !rule->inverted && rule->priority)
		snprintf(right, sizeof right,
			 "`ip %srule add to %s lookup %u priority %u`, if packets should go as the rule says",
			 family, address, rule->table, rule->priority - 1);
	else
		snprintf(right, sizeof right,
			 "a rule that asks for the destination alone, `ip %srule add to %s ...`", family,
			 address);
	findings_about(findings, "ip %srule %u", family, rule->priority);
	finding_add(findings, FINDING_WARN, "`%s` is %s: packets to %s go by the destination alone (%s)\n%s",
		    rule_text(rule, words), rule->inverted ? "followed for every packet" : "not followed",
		    backends, way_text(nexthop, way), right);
}

static void look_into_rule(const struct inquiry *inquiry, const struct rule *rule, uint8_t family,
			   struct findings *findings)
{
	const struct model *model = inquiry->model;
	const struct nexthop *first = NULL;
	char label[BACKEND_TEXT], backends[NAME_SIZE + BACKEND_TEXT + 32] = "";
	size_t count = 0;

	for (size_t i = 0; i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];

		for (size_t j = 0; j < pool->backend_count; j++) {
			const struct backend *backend = &pool->backends[j];
			const struct nexthop *nexthop = nexthops_get(inquiry->nexthops, &backend->address);

			if (backend->address.family != family || !changes_way(inquiry, rule, pool, nexthop))
				continue;
			if (!count++) {
				first = nexthop;
				snprintf(backends, sizeof backends, "%s/%s", pool->name,
					 backend_label(backend, label));
			}
		}
	}
	if (count > 1)
		snprintf(backends + strlen(backends), sizeof backends - strlen(backends), " and %zu more",
			 count - 1);
	if (first)
		tell_rule(rule, first, backends, findings);
}

static int rules_inquire(struct inquiry *inquiry, uint8_t family, struct findings *findings)
{
	int r = rules_read(inquiry->netlink, family, &inquiry->rules);

	for (size_t i = 0; !r && i < inquiry->rules.count; i++) {
		const struct rule *rule = &inquiry->rules.list[i];

		if (rule_is_plain(rule))
			continue;
		if (rule->action == FR_ACT_TO_TBL)
			r = table_read(inquiry->netlink, family, rule->table, &inquiry->routes);
		if (!r)
			look_into_rule(inquiry, rule, family, findings);
		table_free_routes(&inquiry->routes);
	}
	rules_free(&inquiry->rules);
	return r;
}

int check_rules(const struct model *model, const struct nexthops *nexthops, struct findings *findings)
{
	struct inquiry inquiry = {.model = model, .nexthops = nexthops};
	int r = netlink_open(NETLINK_ROUTE, &inquiry.netlink);

	if (r)
		return r;
	r = rules_inquire(&inquiry, 4, findings);
	/* A kernel without IPv6, or without rules for it, has none that could change a way. */
	if (!r && (r = rules_inquire(&inquiry, 6, findings)) && (r == -EAFNOSUPPORT || r == -EOPNOTSUPP))
		r = 0;
	netlink_close(inquiry.netlink);
	return r;
}
