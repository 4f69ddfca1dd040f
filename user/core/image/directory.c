/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <holdfast/flowhash.h>
#include <stdlib.h>
#include <string.h>

#include "directory.h"

#include "core/value/list.h"

enum {
	COMFORTABLE_SIZE = HF_MAX_DIRECTORY / 2,
	COMFORTABLE_SEEDS = 8,
	ROOMY = 32,                                    /* places an entry, as long as they are few */
	LAST_SEED = (1 << HF_DIRECTORY_SEED_BITS) - 1, /* 0 is layout 1's */
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
	struct hf_service *grown = list_grow(layout->entries, layout->count, &layout->room, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	layout->entries = grown;
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

		while (wild < HF_PORT_BITS && !(port & (1U << wild)) && port + (2U << wild) - 1 <= high)
			wild++;
		entry.key.port = htons((uint16_t)port);
		entry.key.kind = hf_kind(hf_kind_family(service->key.kind), (uint8_t)(HF_PORT_BITS - wild));
		layout->lengths |= 1U << (HF_PORT_BITS - wild);
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

	if (hf_kind_family(a->kind) != hf_kind_family(b->kind))
		return hf_kind_family(a->kind) == HF_IPV6 ? 1 : -1;
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
		entry.key.kind = hf_kind(hf_kind_family(keys[i].kind), 0);
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
static bool robin_hood_put(struct hf_service *entries, uint32_t last, uint32_t seed, struct hf_service entry)
{
	uint32_t at = hf_service_hash(&entry.key, seed), distance = 0;

	for (; distance < HF_MAX_PROBES; at++, distance++) {
		struct hf_service *resident = &entries[at & last], moved = *resident;
		uint32_t its;

		if (!moved.key.proto) {
			*resident = entry;
			return true;
		}
		its = (at - hf_service_hash(&moved.key, seed)) & last;
		if (its >= distance)
			continue;
		*resident = entry;
		entry = moved;
		distance = its;
	}
	return false;
}

static size_t away_from_home(const struct directory *directory)
{
	uint32_t last = (1U << directory->log2) - 1;
	size_t away = 0;

	for (uint32_t at = 0; at <= last; at++) {
		const struct hf_service_key *key = &directory->entries[at].key;

		away += key->proto && ((at ^ hf_service_hash(key, directory->seed)) & last);
	}
	return away;
}

/* The best so far of the ways in which the entries were laid out. */
struct search {
	const struct layout *layout;
	struct directory best; /* entries NULL: they fitted nowhere yet */
	size_t away;           /* how many of its entries are not where a lookup begins */
};

/* Lays the entries out with one size and seed. Returns 0, also where they do not fit, or -ENOMEM. */
static int search_try(struct search *search, uint32_t log2, uint32_t seed)
{
	const struct layout *layout = search->layout;
	struct directory found = {calloc(1UL << log2, sizeof *found.entries), log2, seed, layout->lengths};
	bool fits = found.entries;
	size_t away;

	for (size_t i = 0; fits && i < layout->count; i++)
		fits = robin_hood_put(found.entries, (1U << log2) - 1, seed, layout->entries[i]);
	if (!fits) {
		free(found.entries);
		return found.entries ? 0 : -ENOMEM;
	}
	away = away_from_home(&found);
	if (search->best.entries && away >= search->away) {
		free(found.entries);
		return 0;
	}
	free(search->best.entries);
	search->best = found;
	search->away = away;
	return 0;
}

/*
 * Most packets, also those for no service, should need one probe. So a directory has many places, and other
 * seeds and larger sizes are tried while they bring more entries to the place where their lookup begins. This
 * ends at half of the largest size. Beyond that a directory grows only when the longest probe demands it, and
 * takes the first seed that fits.
 */
static int layout_place(const struct layout *layout, struct directory *ret)
{
	struct search search = {.layout = layout, .away = SIZE_MAX};
	uint32_t log2 = 3;
	int error = 0;

	while ((1UL << log2) < ROOMY * layout->count && (1UL << log2) < COMFORTABLE_SIZE)
		log2++;
	for (; error == 0 && search.away && (1UL << log2) <= COMFORTABLE_SIZE; log2++)
		for (uint32_t seed = 1; error == 0 && search.away && seed <= COMFORTABLE_SEEDS; seed++)
			error = search_try(&search, log2, seed);
	for (; error == 0 && !search.best.entries && (1UL << log2) <= HF_MAX_DIRECTORY; log2++)
		for (uint32_t seed = 1; error == 0 && !search.best.entries && seed <= LAST_SEED; seed++)
			error = search_try(&search, log2, seed);
	if (error < 0)
		directory_free(&search.best);
	else if (!search.best.entries)
		error = -ENOSPC;
	else
		*ret = search.best;
	return error;
}

static const struct hf_service *find_key(const struct directory *directory, const struct hf_service_key *key)
{
	uint32_t last = (1U << directory->log2) - 1, at = hf_service_hash(key, directory->seed);

	for (uint32_t probe = 0; probe < HF_MAX_PROBES; probe++) {
		const struct hf_service *entry = &directory->entries[(at + probe) & last];

		if (!entry->key.proto)
			return NULL;
		if (memcmp(&entry->key, key, sizeof *key) == 0)
			return entry;
	}
	return NULL;
}

static bool holds_exactly(const struct directory *directory, const struct layout *layout)
{
	size_t held = 0;

	for (size_t at = 0; at < 1UL << directory->log2; at++)
		held += directory->entries[at].key.proto != 0;
	for (size_t i = 0; held == layout->count && i < layout->count; i++) {
		const struct hf_service *entry = find_key(directory, &layout->entries[i].key);

		if (!entry || memcmp(entry, &layout->entries[i], sizeof *entry) != 0)
			return false;
	}
	return held == layout->count;
}

static int directory_copy(const struct directory *from, struct directory *ret)
{
	size_t size = sizeof *from->entries << from->log2;
	struct hf_service *entries = malloc(size);

	if (!entries)
		return -ENOMEM;
	*ret = *from;
	ret->entries = memcpy(entries, from->entries, size);
	return 0;
}

int directory_build(const struct hf_service *services, const uint16_t *port_high, size_t count,
		    const struct directory *before, struct directory *ret)
{
	struct layout layout = {0};
	int error = 0;

	for (size_t i = 0; error == 0 && i < count; i++)
		error = layout_add_range(&layout, &services[i], port_high[i]);
	if (error == 0)
		error = layout_add_vips(&layout, services, count);
	if (error == 0 && layout.count > DIRECTORY_MAX_ENTRIES)
		error = -ENOSPC;
	if (error == 0 && before && before->entries && holds_exactly(before, &layout))
		error = directory_copy(before, ret);
	else if (error == 0)
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

const struct hf_service *directory_find(const struct directory *directory, uint8_t family,
					const __be32 addr[4], uint8_t proto, uint16_t port)
{
	struct hf_service_key key = {.proto = proto};

	if (!directory->entries)
		return NULL;
	memcpy(key.addr, addr, sizeof key.addr);
	for (int bits = HF_PORT_BITS; bits >= 0; bits--) {
		const struct hf_service *found;

		if (bits < HF_PORT_BITS && !(directory->lengths >> bits & 1))
			continue;
		key.port = htons((uint16_t)(port & (0xffff0000U >> bits)));
		key.kind = hf_kind(family, (uint8_t)bits);
		found = find_key(directory, &key);
		if (found)
			return found;
	}
	return NULL;
}

bool service_has_entry(const struct service *service, const struct hf_service_key *key)
{
	uint8_t family = hf_kind_family(key->kind);
	uint16_t first = ntohs(key->port), last = hf_kind_last_port(key->kind, first);

	return service->proto == key->proto && service->vip.family == family &&
	       !memcmp(service->vip.bytes, key->addr, family == HF_IPV4 ? 4 : 16) &&
	       first >= service->port_low && last <= service->port_high;
}

bool entry_is_service(const struct hf_service *entry)
{
	return entry->key.proto && entry->key.proto != HF_PROTO_VIP;
}

uint32_t directory_size(const struct directory *directory)
{
	return directory->entries ? 1u << directory->log2 : 0;
}
