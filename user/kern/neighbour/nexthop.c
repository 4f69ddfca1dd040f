// SPDX-License-Identifier: Apache-2.0
/*
 * Next hops: the addresses that are wanted. The kernel decides: every finding is the answer to the question
 * by which route it would send, and to whom. Its notifications only say which addresses to ask about again.
 */
#include "nexthop_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/value/list.h"

int nexthops_open(nexthop_changed changed, void *context, struct nexthops **ret)
{
	struct nexthops *nexthops = calloc(1, sizeof *nexthops);
	int r;

	if (!nexthops)
		return -ENOMEM;
	nexthops->changed = changed;
	nexthops->context = context;
	nexthops->protocol = changed ? NEIGHBOUR_KEPT : NEIGHBOUR_ASKED;
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
	if (nexthops->protocol == NEIGHBOUR_ASKED)
		neighbours_forget(NEIGHBOUR_ASKED);
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

static size_t wanted_place(const struct nexthops *nexthops, const struct address *address, bool *ret_found)
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

static int wanted_insert(struct nexthops *nexthops, size_t at, struct wanted *wanted)
{
	struct wanted **sorted =
		list_grow(nexthops->sorted, nexthops->count, &nexthops->room, sizeof *sorted);

	if (!sorted)
		return -ENOMEM;
	nexthops->sorted = sorted;
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
	size_t at = wanted_place(nexthops, address, &known);

	if (address->family != 4 && address->family != 6)
		return -EINVAL;
	if (known) {
		nexthops->sorted[at]->count++;
		return 0;
	}
	wanted = calloc(1, sizeof *wanted);
	if (!wanted || wanted_insert(nexthops, at, wanted)) {
		free(wanted);
		return -ENOMEM;
	}
	wanted->count = 1;
	wanted->now.address = *address;
	wanted_refresh(nexthops, wanted, true);
	return 0;
}

/* Unless another address has the same one. */
static void leave_neighbour(struct nexthops *nexthops, const struct nexthop *left)
{
	for (size_t i = 0; i < nexthops->count; i++) {
		const struct nexthop *now = &nexthops->sorted[i]->now;

		if (now->ifindex == left->ifindex && address_equal(neighbour_of(now), neighbour_of(left)))
			return;
	}
	if (left->ifindex)
		neighbour_forget(nexthops->questions, left->ifindex, neighbour_of(left), nexthops->protocol);
	answers_forget(nexthops);
}

void nexthops_forget(struct nexthops *nexthops, const struct address *address)
{
	struct wanted *forgotten;
	bool known;
	size_t at = wanted_place(nexthops, address, &known);

	if (!known || --nexthops->sorted[at]->count)
		return;
	forgotten = nexthops->sorted[at];
	nexthops->count--;
	memmove(&nexthops->sorted[at], &nexthops->sorted[at + 1],
		(nexthops->count - at) * sizeof *nexthops->sorted);
	leave_neighbour(nexthops, &forgotten->now);
	free(forgotten);
}

const struct nexthop *nexthops_get(const struct nexthops *nexthops, const struct address *address)
{
	bool known;
	size_t at = wanted_place(nexthops, address, &known);

	return known ? &nexthops->sorted[at]->now : NULL;
}
