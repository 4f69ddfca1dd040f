// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/value/address_use.h"

/* Rules --------------------------------------------------------------------------- */

/* What a newer kernel's rule may ask for besides, like a DSCP, is not known here, and so left out. */
static bool asks_for_alien(const struct nlattr *by_type[])
{
	static const uint16_t alien[] = {FRA_OIFNAME, FRA_TUN_ID, FRA_UID_RANGE};

	for (size_t i = 0; i < sizeof alien / sizeof *alien; i++) {
		if (by_type[alien[i]])
			return true;
	}
	return (by_type[FRA_FWMARK] && mnl_attr_get_u32(by_type[FRA_FWMARK])) ||
	       (by_type[FRA_L3MDEV] && mnl_attr_get_u8(by_type[FRA_L3MDEV]));
}

static int rule_visit(const struct nlmsghdr *answer, void *context)
{
	const struct fib_rule_hdr *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[FRA_MAX + 1];
	struct rules *rules = context;
	struct rule *list = reallocarray(rules->list, rules->count + 1, sizeof *list), *rule;

	if (!list)
		return -ENOMEM;
	rules->list = list;
	rule = &list[rules->count++];
	attributes_read(answer, sizeof *message, by_type, FRA_MAX + 1);
	*rule = (struct rule){
		.table = by_type[FRA_TABLE] ? mnl_attr_get_u32(by_type[FRA_TABLE]) : message->table,
		.priority = by_type[FRA_PRIORITY] ? mnl_attr_get_u32(by_type[FRA_PRIORITY]) : 0,
		.action = message->action,
		.inverted = message->flags & FIB_RULE_INVERT,
		.from = prefix_from(message->family, by_type[FRA_SRC], message->src_len),
		.to = prefix_from(message->family, by_type[FRA_DST], message->dst_len),
		.tos = message->tos,
		.proto = by_type[FRA_IP_PROTO] ? mnl_attr_get_u8(by_type[FRA_IP_PROTO]) : 0,
		.ports = by_type[FRA_SPORT_RANGE] || by_type[FRA_DPORT_RANGE],
		.alien = asks_for_alien(by_type),
		.suppressed = by_type[FRA_SUPPRESS_PREFIXLEN]
				      ? (int)mnl_attr_get_u32(by_type[FRA_SUPPRESS_PREFIXLEN])
				      : -1,
	};
	if (by_type[FRA_IIFNAME])
		snprintf(rule->iif, sizeof rule->iif, "%s", mnl_attr_get_str(by_type[FRA_IIFNAME]));
	return 0;
}

int rules_read(struct netlink *netlink, uint8_t family, struct rules *ret)
{
	struct rules rules = {};
	int r = netlink_dump(netlink, RTM_GETRULE, sizeof(struct fib_rule_hdr),
			     family == 4 ? AF_INET : AF_INET6, rule_visit, &rules);

	if (r)
		rules_free(&rules);
	else
		*ret = rules;
	return r;
}

void rules_free(struct rules *rules)
{
	free(rules->list);
	*rules = (struct rules){};
}

bool rule_refuses(const struct rule *rule)
{
	return rule->action == FR_ACT_BLACKHOLE || rule->action == FR_ACT_UNREACHABLE ||
	       rule->action == FR_ACT_PROHIBIT;
}

/* The kernel takes a lookup without an interface for one of its own packets: `iif lo`. */
bool rule_is_plain(const struct rule *rule)
{
	return !rule->from.bits && (!rule->iif[0] || !strcmp(rule->iif, "lo")) && !rule->tos &&
	       !rule->proto && !rule->ports && !rule->alien;
}

static const char *action_text(const struct rule *rule, char text[32])
{
	switch (rule->action) {
	case FR_ACT_BLACKHOLE:
		return "blackhole";
	case FR_ACT_UNREACHABLE:
		return "unreachable";
	case FR_ACT_PROHIBIT:
		return "prohibit";
	case FR_ACT_GOTO:
		return "goto";
	default:
		snprintf(text, 32, rule->table == RT_TABLE_MAIN ? "lookup main" : "lookup %u", rule->table);
		return text;
	}
}

const char *rule_text(const struct rule *rule, char text[RULE_TEXT])
{
	char from[PREFIX_TEXT] = "all", to[PREFIX_TEXT] = "", tos[16] = "", proto[16] = "", action[32];

	if (rule->from.bits)
		prefix_text(&rule->from, from);
	if (rule->to.bits)
		prefix_text(&rule->to, to);
	if (rule->tos)
		snprintf(tos, sizeof tos, " tos 0x%02x", rule->tos);
	if (rule->proto)
		snprintf(proto, sizeof proto, " ipproto %u", rule->proto);
	snprintf(text, RULE_TEXT, "%sfrom %s%s%s%s%s%s%s%s %s", rule->inverted ? "not " : "", from,
		 to[0] ? " to " : "", to, rule->iif[0] ? " iif " : "", rule->iif, tos, proto,
		 rule->ports ? " ports" : "", action_text(rule, action));
	return text;
}

/* Tables -------------------------------------------------------------------------- */

struct table_reading {
	uint32_t table;
	struct table_routes routes;
};

static int table_visit(const struct nlmsghdr *answer, void *context)
{
	const struct rtmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[RTA_MAX + 1];
	struct table_reading *reading = context;
	struct table_routes *routes = &reading->routes;
	struct table_route *list, *one;

	attributes_read(answer, sizeof *message, by_type, RTA_MAX + 1);
	/* A kernel that does not filter by table tells of all of them. */
	if ((message->rtm_flags & RTM_F_CLONED) || !by_type[RTA_TABLE] ||
	    mnl_attr_get_u32(by_type[RTA_TABLE]) != reading->table)
		return 0;
	list = reallocarray(routes->list, routes->count + 1, sizeof *list);
	if (!list)
		return -ENOMEM;
	routes->list = list;
	one = &list[routes->count++];
	*one = (struct table_route){
		.to = prefix_from(message->rtm_family, by_type[RTA_DST], message->rtm_dst_len),
		.metric = by_type[RTA_PRIORITY] ? mnl_attr_get_u32(by_type[RTA_PRIORITY]) : 0,
	};
	return route_read(answer, &one->route);
}

int table_read(struct netlink *netlink, uint8_t family, uint32_t table, struct table_routes *ret)
{
	struct nlmsghdr *request = netlink_request(netlink, RTM_GETROUTE, NLM_F_DUMP);
	struct rtmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);
	struct table_reading reading = {.table = table};
	int r;

	message->rtm_family = family == 4 ? AF_INET : AF_INET6;
	mnl_attr_put_u32(request, RTA_TABLE, table);
	r = netlink_ask(netlink, request, table_visit, &reading, NULL);
	if (r == -ENOENT)
		r = 0;
	if (r)
		table_free_routes(&reading.routes);
	else
		*ret = reading.routes;
	return r;
}

void table_free_routes(struct table_routes *routes)
{
	free(routes->list);
	*routes = (struct table_routes){};
}

const struct route *table_find(const struct table_routes *routes, const struct address *address,
			       int suppressed)
{
	const struct table_route *best = NULL;

	for (size_t i = 0; i < routes->count; i++) {
		const struct table_route *one = &routes->list[i];

		if (one->to.bits <= suppressed || !prefix_contains(&one->to, address))
			continue;
		if (!best || one->to.bits > best->to.bits ||
		    (one->to.bits == best->to.bits && one->metric < best->metric))
			best = one;
	}
	return best ? &best->route : NULL;
}
