// SPDX-License-Identifier: Apache-2.0
/*
 * Which MAC addresses a packet's destination is compared with first: a few words beside what every packet
 * reads anyway. What finds no room there, or came up since, the program asks the kernel about
 * (bpf/mac.bpf.h).
 */
#include "attach.h"

#include <stdlib.h>
#include <string.h>
#include "attachments.h"
#include "kern/base/macs.h"
#include "kern/base/route.h"
#include "kern/maps/state.h"

struct known {
	uint64_t words[HF_MAX_MACS];
	size_t count;
};

static void known_add(struct known *known, const uint8_t mac[6])
{
	uint64_t word = 0;

	memcpy(&word, mac, 6);
	for (size_t i = 0; i < known->count; i++) {
		if (known->words[i] == word)
			return;
	}
	if (word && known->count < HF_MAX_MACS)
		known->words[known->count++] = word;
}

struct ingress {
	uint32_t ifindexes[HF_MAX_LINKS];
	size_t count;
};

static int ingress_add(const struct attachment *attachment, void *context)
{
	struct ingress *ingress = context;

	if (!attachment->elsewhere && ingress->count < HF_MAX_LINKS)
		ingress->ifindexes[ingress->count++] = attachment->ifindex;
	return 0;
}

/* An interface's own address is that of most of its packets. */
static void known_collect(struct known *known, const struct ingress *ingress)
{
	struct netlink *netlink;
	struct link link;

	if (netlink_open(NETLINK_ROUTE, &netlink))
		return;
	for (size_t i = 0; i < ingress->count; i++) {
		if (!link_ask(netlink, ingress->ifindexes[i], &link))
			known_add(known, link.mac);
	}
	netlink_close(netlink);
	for (size_t i = 0; i < ingress->count; i++) {
		struct macs macs = {};

		if (macs_collect(ingress->ifindexes[i], &macs))
			continue;
		for (size_t j = 0; j < macs.count; j++)
			known_add(known, macs.list[j].bytes);
		free(macs.list);
	}
}

void dataplane_know_macs(struct dataplane *dataplane)
{
	struct ingress ingress = {};
	struct known known = {};

	if (!dataplane->writable)
		return;
	dataplane_attachments(dataplane, ingress_add, &ingress);
	known_collect(&known, &ingress);
	for (size_t i = 0; i < HF_MAX_MACS; i++) {
		if (dataplane->control->macs[i] != known.words[i])
			__atomic_store_n(&dataplane->control->macs[i], known.words[i], __ATOMIC_RELEASE);
	}
}
