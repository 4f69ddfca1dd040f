/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

enum {
	KIND_IPV6 = 0x20,
	PORT_BITS = 16,
	/* Two directories lie side by side in the map. */
	MAX_ENTRIES = HF_MAX_SERVICES / 2,
	COMFORTABLE_ENTRIES = HF_MAX_SERVICES / 4,
	MOST_PREFIXES = 2 * PORT_BITS - 2, /* of one range of ports */
};

/* A directory being laid out, and the entries that go in. */
struct layout {
	struct hf_service *entries;
	size_t count;
	size_t room;
	uint32_t lengths;
};

static int layout_add(struct layout *layout, const struct hf_service *entry)
{
	if (layout->count == layout->room) {
		size_t room = layout->room ? 2 * layout->room : 64;
		struct hf_service *grown = realloc(layout->entries, room * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		layout->entries = grown;
		layout->room = room;
	}
	layout->entries[layout->count++] = *entry;
	return 0;
}

/* The fewest prefixes that cover low to high: each the widest that starts where the last one ended. */
static int layout_add_range(struct layout *layout, const struct hf_service *service, uint16_t high)
{
	uint32_t port = ntohs(service->key.port);

	while (port <= high) {
		struct hf_service entry = *service;
		uint32_t wild = 0;
		int error;

		while (wild < PORT_BITS && !(port & (1U << wild)) && port + (2U << wild) - 1 <= high)
			wild++;
		entry.key.port = htons((uint16_t)port);
		entry.key.kind = (uint8_t)((service->key.kind & KIND_IPV6) | (PORT_BITS - wild));
		layout->lengths |= 1U << (PORT_BITS - wild);
		error = layout_add(layout, &entry);
		if (error < 0)
			return error;
		port += 1U << wild;
	}
	return 0;
}

static int address_order(const void *left, const void *right)
{
	const struct hf_service_key *a = left, *b = right;

	if ((a->kind ^ b->kind) & KIND_IPV6)
		return a->kind & KIND_IPV6 ? 1 : -1;
	return memcmp(a->addr, b->addr, sizeof a->addr);
}

/* One entry for each address, whatever its ports. */
static int layout_add_vips(struct layout *layout, const struct hf_service *services, size_t count)
{
	struct hf_service_key *keys = malloc(count * sizeof *keys + 1);
	int error = keys ? 0 : -ENOMEM;

	for (size_t i = 0; error == 0 && i < count; i++)
		keys[i] = services[i].key;
	if (error == 0 && count)
		qsort(keys, count, sizeof *keys, address_order);
	for (size_t i = 0; error == 0 && i < count; i++) {
		struct hf_service entry = {.key = keys[i]};

		if (i > 0 && address_order(&keys[i - 1], &keys[i]) == 0)
			continue;
		entry.key.port = 0;
		entry.key.proto = HF_PROTO_VIP;
		entry.key.kind = keys[i].kind & KIND_IPV6;
		error = layout_add(layout, &entry);
	}
	free(keys);
	return error;
}

/*
 * An entry that is farther from home takes the place of one that is nearer, which looks on (Robin Hood
 * hashing; Celis, Larson and Munro 1985): runs stay as short as they can be, and a lookup still ends at the
 * first gap.
 */
static bool place(struct hf_service *entries, uint32_t last, struct hf_service entry)
{
	uint32_t at = hf_service_hash(&entry.key), distance = 0;

	for (; distance < HF_MAX_PROBES; at++, distance++) {
		struct hf_service *resident = &entries[at & last], moved = *resident;
		uint32_t its = (at - hf_service_hash(&moved.key)) & last;

		if (!moved.key.proto) {
			*resident = entry;
			return true;
		}
		if (its >= distance)
			continue;
		*resident = entry;
		entry = moved;
		distance = its;
	}
	return false;
}

static bool place_all(const struct layout *layout, struct hf_service *entries, uint32_t size)
{
	for (size_t i = 0; i < layout->count; i++)
		if (!place(entries, size - 1, layout->entries[i]))
			return false;
	return true;
}

static size_t away_from_home(const struct hf_service *entries, uint32_t size)
{
	size_t away = 0;

	for (uint32_t at = 0; at < size; at++)
		away += entries[at].key.proto && ((at ^ hf_service_hash(&entries[at].key)) & (size - 1));
	return away;
}

/*
 * Most packets, also those for no service, are to find what they look for at the first place: an eighth full,
 * and roomier while that brings all entries home. A quarter of the array is the most for comfort, so that
 * directories that packets may still read leave room for the next; beyond that it grows only as the longest
 * probe demands.
 */
static int layout_place(const struct layout *layout, struct directory *ret)
{
	struct directory best = {0};
	size_t fewest = SIZE_MAX;
	uint32_t log2 = 3;

	while ((1UL << log2) < 8 * layout->count && (1UL << log2) < COMFORTABLE_ENTRIES)
		log2++;
	for (; fewest && (1UL << log2) <= (best.entries ? COMFORTABLE_ENTRIES : MAX_ENTRIES); log2++) {
		struct hf_service *entries = calloc(1UL << log2, sizeof *entries);
		size_t away;

		if (!entries) {
			directory_free(&best);
			return -ENOMEM;
		}
		away = place_all(layout, entries, 1U << log2) ? away_from_home(entries, 1U << log2)
							      : SIZE_MAX;
		if (away < fewest) {
			free(best.entries);
			best = (struct directory){entries, log2, layout->lengths};
			fewest = away;
		} else {
			free(entries);
		}
	}
	if (!best.entries)
		return -ENOSPC;
	*ret = best;
	return 0;
}

int directory_build(const struct hf_service *services, const uint16_t *port_high, size_t count,
		    struct directory *ret)
{
	struct layout layout = {0};
	int error = 0;

	for (size_t i = 0; error == 0 && i < count; i++)
		error = layout_add_range(&layout, &services[i], port_high[i]);
	if (error == 0)
		error = layout_add_vips(&layout, services, count);
	if (error == 0)
		error = layout_place(&layout, ret);
	free(layout.entries);
	return error;
}

void directory_free(struct directory *directory)
{
	if (!directory)
		return;
	free(directory->entries);
	*directory = (struct directory){0};
}

static const struct hf_service *find_key(const struct directory *directory, const struct hf_service_key *key)
{
	uint32_t last = (1U << directory->log2) - 1, at = hf_service_hash(key);

	for (uint32_t probe = 0; probe < HF_MAX_PROBES; probe++) {
		const struct hf_service *entry = &directory->entries[(at + probe) & last];

		if (!entry->key.proto)
			return NULL;
		if (memcmp(&entry->key, key, sizeof *key) == 0)
			return entry;
	}
	return NULL;
}

const struct hf_service *directory_find(const struct directory *directory, uint8_t family,
					const __be32 addr[4], uint8_t proto, uint16_t port)
{
	struct hf_service_key key = {.proto = proto};

	if (!directory->entries)
		return NULL;
	memcpy(key.addr, addr, sizeof key.addr);
	for (int bits = PORT_BITS; bits >= 0; bits--) {
		const struct hf_service *found;

		if (bits < PORT_BITS && !(directory->lengths >> bits & 1))
			continue;
		key.port = htons((uint16_t)(port & (0xffff0000U >> bits)));
		key.kind = (uint8_t)((family == HF_IPV6 ? KIND_IPV6 : 0) | bits);
		found = find_key(directory, &key);
		if (found)
			return found;
	}
	return NULL;
}
