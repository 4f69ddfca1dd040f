// SPDX-License-Identifier: Apache-2.0
#include "receiver_keys.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/value/list.h"

enum { LONGEST_KEY = sizeof(struct hf_receiver_prefix) };

struct hf_receiver_address address_to_key(const struct address *address)
{
	struct hf_receiver_address key = {.family = address->family};

	memcpy(key.bytes, address->bytes, sizeof key.bytes);
	return key;
}

struct address address_of_key(const struct hf_receiver_address *key)
{
	struct address address = {.family = (uint8_t)key->family};

	memcpy(address.bytes, key->bytes, sizeof address.bytes);
	return address;
}

struct hf_receiver_prefix prefix_to_key(const struct prefix *prefix)
{
	return (struct hf_receiver_prefix){.bits = HF_RECEIVER_FAMILY_BITS + prefix->bits,
					   .address = address_to_key(&prefix->address)};
}

struct prefix prefix_of_key(const struct hf_receiver_prefix *key)
{
	return (struct prefix){.address = address_of_key(&key->address),
			       .bits = (uint8_t)(key->bits - HF_RECEIVER_FAMILY_BITS)};
}

static size_t entry_size(const struct keys *keys)
{
	return keys->entry_size ?: keys->size;
}

static uint8_t *keys_at(const struct keys *keys, size_t index)
{
	return (uint8_t *)keys->list + index * entry_size(keys);
}

int keys_add(struct keys *keys, const void *entry)
{
	void *list = list_grow(keys->list, keys->count, &keys->room, entry_size(keys));

	if (!list)
		return -ENOMEM;
	keys->list = list;
	memcpy(keys_at(keys, keys->count++), entry, entry_size(keys));
	return 0;
}

static int entry_compare(const void *a, const void *b, void *context)
{
	const struct keys *keys = context;
	const uint8_t *one = a, *other = b;
	int r = memcmp(one, other, keys->size);

	return r || !keys->ranks ? r : keys->ranks[one[keys->size]] - keys->ranks[other[keys->size]];
}

void keys_sort(struct keys *keys)
{
	size_t kept = 0;

	if (keys->count)
		qsort_r(keys->list, keys->count, entry_size(keys), entry_compare, keys);
	for (size_t i = 0; i < keys->count; i++) {
		if (!kept || memcmp(keys_at(keys, i), keys_at(keys, kept - 1), keys->size))
			memmove(keys_at(keys, kept++), keys_at(keys, i), entry_size(keys));
	}
	keys->count = kept;
}

const void *keys_find(const struct keys *keys, const void *key)
{
	size_t low = 0, high = keys->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int r = memcmp(key, keys_at(keys, middle), keys->size);

		if (!r)
			return keys_at(keys, middle);
		if (r < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Whether the map holds other keys than these. */
static bool keys_differ(int map, const struct keys *keys)
{
	char key[LONGEST_KEY];
	size_t matched = 0;

	for (bool more = !bpf_map_get_next_key(map, NULL, key); more;
	     more = !bpf_map_get_next_key(map, key, key)) {
		if (!keys_find(keys, key))
			return true;
		matched++;
	}
	return matched != keys->count;
}

int keys_enter(int map, const struct keys *keys)
{
	char key[LONGEST_KEY], next[LONGEST_KEY];
	const uint8_t one = 1;
	bool more;

	for (size_t i = 0; i < keys->count; i++) {
		const uint8_t *entry = keys_at(keys, i);

		if (bpf_map_update_elem(map, entry, keys->entry_size ? entry + keys->size : &one, BPF_ANY))
			return -errno;
	}
	more = !bpf_map_get_next_key(map, NULL, next);
	while (more) {
		memcpy(key, next, sizeof key);
		more = !bpf_map_get_next_key(map, key, next);
		if (!keys_find(keys, key) && bpf_map_delete_elem(map, key) && errno != ENOENT)
			return -errno;
	}
	return 0;
}

int keys_enter_all(int map, int error, struct keys *keys, bool *ret_changed)
{
	keys_sort(keys);
	if (!error) {
		*ret_changed = keys_differ(map, keys);
		error = *ret_changed ? keys_enter(map, keys) : 0;
	}
	free(keys->list);
	return error;
}
