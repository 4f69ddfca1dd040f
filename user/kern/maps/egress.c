// SPDX-License-Identifier: Apache-2.0
/* Egress: the interfaces that packets may leave by, and the next hops behind them. */
#include "state.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>

/* The number of the link that is ifindex, else of a free one, else of one whose interface is gone; 0 none. */
static uint32_t egress_find(const struct dataplane *dataplane, uint32_t ifindex)
{
	const struct hf_link *links = dataplane->control->links;
	char name[IF_NAMESIZE];

	for (uint32_t i = 1; i < HF_MAX_LINKS; i++) {
		if (links[i].ifindex == ifindex)
			return i;
	}
	for (uint32_t i = 1; i < HF_MAX_LINKS; i++) {
		if (!links[i].ifindex)
			return i;
	}
	for (uint32_t i = 1; i < HF_MAX_LINKS; i++) {
		if (!if_indextoname(links[i].ifindex, name))
			return i;
	}
	return 0;
}

int dataplane_link_set(struct dataplane *dataplane, uint32_t ifindex, const uint8_t mac[6], uint32_t mtu,
		       uint16_t *ret_link)
{
	uint32_t number = egress_find(dataplane, ifindex), target = 0;
	int egress = dataplane->maps[MAP_EGRESS].fd;
	struct hf_link *link;

	if (!ifindex)
		return -EINVAL;
	if (!number)
		return -ENOSPC;
	/* The kernel drops an interface that goes away from the map, also if it comes back with its index. */
	if (bpf_map_lookup_elem(egress, &number, &target) || target != ifindex) {
		if (bpf_map_update_elem(egress, &number, &ifindex, BPF_ANY))
			return -errno;
	}
	link = &dataplane->control->links[number];
	if (link->ifindex != ifindex)
		*link = (struct hf_link){};
	memcpy(link->mac, mac, sizeof link->mac);
	link->mtu = mtu;
	__atomic_store_n(&link->ifindex, ifindex, __ATOMIC_RELEASE);
	egress_mark_only_ingress(dataplane, dataplane->only);
	*ret_link = number;
	return 0;
}

void egress_mark_only_ingress(struct dataplane *dataplane, uint32_t only)
{
	dataplane->only = only;
	if (!dataplane->writable)
		return;
	for (uint32_t i = 1; i < HF_MAX_LINKS; i++) {
		struct hf_link *link = &dataplane->control->links[i];
		uint16_t flags = link->flags & ~HF_LINK_ONLY_INGRESS;

		if (only && link->ifindex == only)
			flags |= HF_LINK_ONLY_INGRESS;
		__atomic_store_n(&link->flags, flags, __ATOMIC_RELEASE);
	}
}

size_t dataplane_leaving(struct dataplane *dataplane, const struct image *image, uint32_t ret[HF_MAX_LINKS])
{
	bool used[HF_MAX_LINKS] = {};
	struct hf_backend backend;
	size_t count = 0;

	for (size_t i = 0; i < image->backend_count; i++) {
		if (!dataplane_backend(dataplane, image->backends[i].number, &backend) &&
		    backend.next_hop >> 48 < HF_MAX_LINKS)
			used[backend.next_hop >> 48] = true;
	}
	for (size_t i = 1; i < HF_MAX_LINKS; i++) {
		if (used[i] && dataplane->control->links[i].ifindex)
			ret[count++] = dataplane->control->links[i].ifindex;
	}
	return count;
}

uint32_t dataplane_next_hop(const struct dataplane *dataplane, uint16_t backend, uint8_t ret_mac[6])
{
	uint64_t word = __atomic_load_n(&dataplane->backends[backend].next_hop, __ATOMIC_ACQUIRE);
	uint32_t link = word >> 48;

	if (!link || link >= HF_MAX_LINKS)
		return 0;
	memcpy(ret_mac, &word, 6);
	return dataplane->control->links[link].ifindex;
}

int dataplane_next_hop_set(struct dataplane *dataplane, uint16_t backend, const uint8_t mac[6], uint16_t link)
{
	uint64_t word = 0;

	if (!backend || link >= HF_MAX_LINKS)
		return -EINVAL;
	if (mac) {
		memcpy(&word, mac, 6);
		memcpy((char *)&word + 6, &link, sizeof link);
	}
	__atomic_store_n(&dataplane->backends[backend].next_hop, word, __ATOMIC_RELEASE);
	return 0;
}
