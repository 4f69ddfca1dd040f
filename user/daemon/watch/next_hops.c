/* SPDX-License-Identifier: Apache-2.0 */
#include "next_hops.h"

#include <errno.h>
#include <holdfast/outer.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "followed.h"
#include "kern/apply/plan_apply.h"

/*
 * A next hop that was known stays in use for so long after the kernel lost it: a neighbour entry that is only
 * being asked for again, or was forgotten while no daemon ran, still leads the right way. Through an
 * interface that is down nothing leads anywhere, and a routing table that refuses an address means it: what
 * would be lost there unseen is dropped under its name at once.
 */
enum { HOLD = 3000 };

struct next_hops {
	struct dataplane *const *dataplane; /* of the instance, which may open it anew */
	struct ledger *const *ledger;       /* its too, which changes replace: whose number it is */
	struct nexthops *nexthops;
	struct followed now;
	struct followed before; /* what the data plane holds, until it is `now` */
};

static int number_link(struct next_hops *hops, const struct nexthop *nexthop, uint16_t *ret_link)
{
	int error = dataplane_link_set(*hops->dataplane, nexthop->ifindex, nexthop->own_mac, nexthop->mtu,
				       ret_link);

	if (error)
		log_line(LOG_LEVEL_WARNING, "interface %s gets no entry in the data plane: %s",
			 nexthop->interface, strerror(-error));
	return error;
}

/* What a route says of the outer header: the path's MTU and, where no source is configured, the source. */
static void fill_route(struct backend_image *backend, const struct nexthop *nexthop)
{
	struct hf_backend *entry = &backend->entry;

	if (!nexthop->ifindex)
		return;
	entry->mtu = nexthop->mtu;
	if (!backend->source_from_route || nexthop->source.family != entry->family)
		return;
	memcpy(entry->src, nexthop->source.bytes, sizeof entry->src);
	if (entry->family == HF_IPV4)
		entry->csum = hf_outer_csum(entry->src[0], entry->dst[0]);
}

static bool same_route(const struct hf_backend *a, const struct hf_backend *b)
{
	return a->mtu == b->mtu && a->csum == b->csum && !memcmp(a->src, b->src, sizeof a->src);
}

/* The entry in force is written again where the route says something new of it; the next hop stays. */
static void store_route(struct next_hops *hops, uint16_t number, const struct nexthop *nexthop)
{
	const struct image *image = hops->before.image ? hops->before.image : hops->now.image;
	struct backend_image *backend = (struct backend_image *)image_backend(image, number);
	struct plan_backend change = {.change = PLAN_CHANGE, .number = number, .image = backend};
	const struct plan plan = {.backends = &change, .backend_count = 1};
	struct refusal refusal = {0};
	struct hf_backend loaded;

	if (!backend)
		return;
	fill_route(backend, nexthop);
	if (dataplane_backend(*hops->dataplane, number, &loaded) || same_route(&loaded, &backend->entry))
		return;
	if (dataplane_apply(*hops->dataplane, &plan, 0, &refusal))
		log_refusal(LOG_LEVEL_WARNING, "a backend's route", &refusal);
}

/* What backends have in common: the neighbour that they are all behind, or the link. */
static void name_cause(const struct nexthop *nexthop, char *text, size_t room)
{
	char gateway[ADDRESS_TEXT];

	if (!nexthop || !nexthop->ifindex)
		text[0] = '\0';
	else if (nexthop->gateway.family)
		snprintf(text, room, "%s on %s", address_text(&nexthop->gateway, gateway),
			 nexthop->interface);
	else
		snprintf(text, room, "%s", nexthop->interface);
}

/* One line for each cause: a thousand backends may be behind one gateway. */
static void tell_hop(const struct next_hops *hops, const struct backend_hop *hop, enum log_level level,
		     const char *one, const char *many)
{
	char subject[ADDRESS_TEXT], cause[ADDRESS_TEXT + 32], backend[2 * NAME_SIZE];
	const struct common_event event = {level, "next-hop", address_text(&hop->address, subject),
					   one,   cause,      many};
	const char *pool = "", *name = "";
	struct address address;

	name_cause(nexthops_get(hops->nexthops, &hop->address), cause, sizeof cause);
	ledger_backend_name(*hops->ledger, hop->backend, &pool, &name, &address);
	snprintf(backend, sizeof backend, "%s/%s", pool, name);
	event_gather(&event, backend);
}

static void clear_hop(struct next_hops *hops, struct backend_hop *hop)
{
	hop->clear_at = 0;
	dataplane_next_hop_set(*hops->dataplane, hop->backend, NULL, 0);
	tell_hop(hops, hop, LOG_LEVEL_WARNING, "packets to it are dropped until it can be reached again",
		 "get no packets until they can be reached again");
}

/* The interface that the last known next hop lies behind may have gone down with the route. */
static bool is_cut_off(const struct next_hops *hops, const struct backend_hop *hop)
{
	uint8_t mac[6];
	uint32_t ifindex = dataplane_next_hop(*hops->dataplane, hop->backend, mac);

	return ifindex && nexthops_link(hops->nexthops, ifindex) != LINK_CARRIES;
}

static void lose_hop(struct next_hops *hops, struct backend_hop *hop, const struct nexthop *nexthop)
{
	if (nexthop->certain || is_cut_off(hops, hop))
		clear_hop(hops, hop);
	else if (!hop->clear_at)
		hop->clear_at = clock_monotonic() + HOLD;
}

static void store_hop(struct next_hops *hops, struct backend_hop *hop, const struct nexthop *nexthop)
{
	uint16_t link;

	if (!nexthop->resolved) {
		lose_hop(hops, hop, nexthop);
		return;
	}
	hop->clear_at = 0;
	store_route(hops, hop->backend, nexthop);
	if (!number_link(hops, nexthop, &link))
		dataplane_next_hop_set(*hops->dataplane, hop->backend, nexthop->mac, link);
}

static void tell_change(const struct next_hops *hops, const struct backend_hop *hop,
			const struct nexthop *nexthop)
{
	char one[128], many[128];

	if (nexthop->resolved) {
		snprintf(one, sizeof one, "can be reached by %s", nexthop->interface);
		snprintf(many, sizeof many, "can be reached by %s", nexthop->interface);
	} else {
		snprintf(one, sizeof one, "cannot be reached: %s", nexthop->problem);
		snprintf(many, sizeof many, "cannot be reached (%s)", nexthop->problem);
	}
	tell_hop(hops, hop, nexthop->resolved ? LOG_LEVEL_NOTICE : LOG_LEVEL_WARNING, one, many);
}

/* Those that the data plane has no entry of yet are left to next_hops_fill() and next_hops_loaded(). */
static void tell_and_store(struct next_hops *hops, struct backend_hop *hop, const struct nexthop *nexthop)
{
	if (!hop->loaded)
		return;
	tell_change(hops, hop, nexthop);
	store_hop(hops, hop, nexthop);
}

static void next_hop_changed(const struct nexthop *nexthop, void *context)
{
	struct next_hops *hops = context;
	struct followed *now = &hops->now, *before = &hops->before;
	const struct address *address = &nexthop->address;

	for (size_t i = followed_first(now, address);
	     i < now->count && address_equal(&now->list[i].address, address); i++)
		tell_and_store(hops, &now->list[i], nexthop);
	for (size_t i = followed_first(before, address);
	     i < before->count && address_equal(&before->list[i].address, address); i++)
		if (!followed_same(now, &before->list[i]))
			tell_and_store(hops, &before->list[i], nexthop);
}

int next_hops_open(struct dataplane *const *dataplane, struct ledger *const *ledger, struct next_hops **ret)
{
	struct next_hops *hops = calloc(1, sizeof *hops);
	int error;

	if (!hops)
		return -ENOMEM;
	hops->dataplane = dataplane;
	hops->ledger = ledger;
	error = nexthops_open(next_hop_changed, hops, &hops->nexthops);
	if (error) {
		free(hops);
		return error;
	}
	*ret = hops;
	return 0;
}

void next_hops_close(struct next_hops *hops)
{
	if (!hops)
		return;
	nexthops_close(hops->nexthops);
	free(hops->before.list);
	free(hops->now.list);
	free(hops);
}

int next_hops_fd(const struct next_hops *hops)
{
	return nexthops_fd(hops->nexthops);
}

void next_hops_dispatch(struct next_hops *hops)
{
	int error = nexthops_dispatch(hops->nexthops);

	if (error)
		log_line(LOG_LEVEL_WARNING, "cannot read routes and neighbours: %s", strerror(-error));
}

void next_hops_tick(struct next_hops *hops)
{
	int64_t now = clock_monotonic();

	nexthops_tick(hops->nexthops);
	for (size_t i = 0; i < hops->now.count; i++) {
		struct backend_hop *hop = &hops->now.list[i];

		if (hop->clear_at && (hop->clear_at <= now || is_cut_off(hops, hop)))
			clear_hop(hops, hop);
	}
}

int next_hops_follow(struct next_hops *hops, struct image *image)
{
	struct followed followed;
	int error = followed_make(&hops->now, image, &followed);

	if (error)
		return error;
	hops->before = hops->now;
	hops->now = followed;
	for (size_t i = 0; i < hops->now.count; i++)
		if (!followed_same(&hops->before, &hops->now.list[i]))
			nexthops_want(hops->nexthops, &hops->now.list[i].address);
	return 0;
}

/* An address that is in both is never asked for again, and the kernel's entry of it stays. */
static void forget_followed(struct next_hops *hops, struct followed *over)
{
	for (size_t i = 0; i < over->count; i++)
		if (!followed_same(&hops->now, &over->list[i]))
			nexthops_forget(hops->nexthops, &over->list[i].address);
	free(over->list);
	*over = (struct followed){0};
}

void next_hops_undo(struct next_hops *hops)
{
	struct followed tried = hops->now;

	hops->now = hops->before;
	hops->before = (struct followed){0};
	for (size_t i = 0; i < hops->now.count; i++) {
		const struct backend_hop *same = followed_same(&tried, &hops->now.list[i]);

		if (same)
			hops->now.list[i] = *same;
	}
	forget_followed(hops, &tried);
}

/* Whether a neighbour of a backend that is not loaded yet is still being asked for. */
static bool all_resolved(const struct next_hops *hops)
{
	for (size_t i = 0; i < hops->now.count; i++) {
		const struct nexthop *nexthop = nexthops_get(hops->nexthops, &hops->now.list[i].address);

		if (!hops->now.list[i].loaded && nexthop && !nexthop->resolved && nexthop->ifindex)
			return false;
	}
	return true;
}

void next_hops_settle(struct next_hops *hops, int milliseconds)
{
	int64_t end = clock_monotonic() + milliseconds, left;
	struct pollfd ready = {.fd = next_hops_fd(hops), .events = POLLIN};

	while (!all_resolved(hops) && (left = end - clock_monotonic()) > 0)
		if (poll(&ready, 1, (int)left) > 0)
			next_hops_dispatch(hops);
}

/* The link that was found last: a thousand backends behind one gateway ask the kernel once. */
struct last_link {
	uint32_t ifindex, mtu;
	uint8_t mac[6];
	uint16_t link;
};

static int number_link_again(struct next_hops *hops, const struct nexthop *nexthop, struct last_link *last)
{
	int error;

	if (last->ifindex == nexthop->ifindex && last->mtu == nexthop->mtu &&
	    !memcmp(last->mac, nexthop->own_mac, sizeof last->mac))
		return 0;
	error = number_link(hops, nexthop, &last->link);
	if (error)
		return error;
	last->ifindex = nexthop->ifindex;
	last->mtu = nexthop->mtu;
	memcpy(last->mac, nexthop->own_mac, sizeof last->mac);
	return 0;
}

static void fill_next_hop(struct next_hops *hops, struct backend_image *backend,
			  const struct nexthop *nexthop, struct last_link *last)
{
	fill_route(backend, nexthop);
	if (!nexthop->resolved || number_link_again(hops, nexthop, last))
		return;
	memcpy(&backend->entry.next_hop, nexthop->mac, sizeof nexthop->mac);
	memcpy((char *)&backend->entry.next_hop + sizeof nexthop->mac, &last->link, sizeof last->link);
}

void next_hops_fill(struct next_hops *hops, struct image *image)
{
	struct last_link last = {0};

	for (size_t i = 0; i < image->backend_count; i++) {
		const struct nexthop *nexthop = nexthops_get(hops->nexthops, &image->backends[i].address);

		if (nexthop)
			fill_next_hop(hops, &image->backends[i], nexthop, &last);
	}
}

void next_hops_loaded(struct next_hops *hops)
{
	forget_followed(hops, &hops->before);
	for (size_t i = 0; i < hops->now.count; i++) {
		struct backend_hop *hop = &hops->now.list[i];
		const struct nexthop *nexthop = nexthops_get(hops->nexthops, &hop->address);

		if (hop->loaded)
			continue;
		hop->loaded = true;
		if (nexthop)
			store_hop(hops, hop, nexthop);
	}
}

void next_hops_unloaded(struct next_hops *hops)
{
	hops->now.image = NULL;
	for (size_t i = 0; i < hops->now.count; i++)
		hops->now.list[i].loaded = false;
}

void next_hops_reach(const struct next_hops *hops, const struct address *address, uint16_t backend,
		     struct reach *ret)
{
	const struct backend_hop *hop = followed_find(&hops->now, address, backend);

	*ret = (struct reach){.nexthop = nexthops_get(hops->nexthops, address), .held = -1};
	ret->ifindex = dataplane_next_hop(*hops->dataplane, backend, ret->mac);
	if (ret->ifindex && hop && hop->clear_at)
		ret->held = clock_monotonic() - (hop->clear_at - HOLD);
}

enum link_state next_hops_link(const struct next_hops *hops, uint32_t ifindex)
{
	return nexthops_link(hops->nexthops, ifindex);
}
