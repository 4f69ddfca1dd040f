// SPDX-License-Identifier: Apache-2.0
#include "receiver_keys.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static char *keys_at(const struct keys *keys, size_t index)
{
	return (char *)keys->list + index * keys->size;
}

int keys_add(struct keys *keys, const void *key)
{
	if (keys->count == keys->room) {
		size_t room = keys->room ? 2 * keys->room : 16;
		void *list = reallocarray(keys->list, room, keys->size);

		if (!list)
			return -ENOMEM;
		keys->list = list;
		keys->room = room;
	}
	memcpy(keys_at(keys, keys->count++), key, keys->size);
	return 0;
}

static int key_compare(const void *a, const void *b, void *size)
{
	return memcmp(a, b, *(const size_t *)size);
}

void keys_sort(struct keys *keys)
{
	size_t kept = 0;

	if (keys->count)
		qsort_r(keys->list, keys->count, keys->size, key_compare, &keys->size);
	for (size_t i = 0; i < keys->count; i++) {
		if (!kept || memcmp(keys_at(keys, i), keys_at(keys, kept - 1), keys->size))
			memmove(keys_at(keys, kept++), keys_at(keys, i), keys->size);
	}
	keys->count = kept;
}

static bool keys_have(const struct keys *keys, const void *key)
{
	size_t low = 0, high = keys->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int r = memcmp(key, keys_at(keys, middle), keys->size);

		if (!r)
			return true;
		if (r < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

bool keys_differ(int map, const struct keys *keys)
{
	char key[LONGEST_KEY];
	size_t matched = 0;

	for (bool more = !bpf_map_get_next_key(map, NULL, key); more;
	     more = !bpf_map_get_next_key(map, key, key)) {
		if (!keys_have(keys, key))
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
		if (bpf_map_update_elem(map, keys_at(keys, i), &one, BPF_ANY))
			return -errno;
	}
	more = !bpf_map_get_next_key(map, NULL, next);
	while (more) {
		memcpy(key, next, sizeof key);
		more = !bpf_map_get_next_key(map, key, next);
		if (!keys_have(keys, key) && bpf_map_delete_elem(map, key) && errno != ENOENT)
			return -errno;
	}
	return 0;
}
