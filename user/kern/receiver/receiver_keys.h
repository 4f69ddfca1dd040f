/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of a receiver's maps (holdfast/receiver.h), one by one and as sets. */
#pragma once

#include <holdfast/receiver.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/value/address.h"

struct hf_receiver_address address_to_key(const struct address *address);
struct address address_of_key(const struct hf_receiver_address *key);
struct hf_receiver_prefix prefix_to_key(const struct prefix *prefix);
struct prefix prefix_of_key(const struct hf_receiver_prefix *key);

/*
 * Entries of entry_size bytes each: a key of size bytes, and a byte behind it, its value. entry_size 0: keys
 * alone, all of which have the value 1. list is the owner's to free.
 */
struct keys {
	void *list;
	size_t size, entry_size, count, room;
	const uint8_t *ranks; /* by value: of two entries with one key the one of the lower rank stays */
};

/* 0 or -ENOMEM. Not sorted afterwards. */
int keys_add(struct keys *keys, const void *entry);
/* Ascending by their bytes, none twice: the other functions want that. */
void keys_sort(struct keys *keys);
const void *keys_find(const struct keys *keys, const void *key); /* the entry, or NULL */
/* Makes the map (a descriptor) hold exactly these. What is wanted is entered before the rest leaves: no
 * packet is refused in between. 0 or -errno. */
int keys_enter(int map, const struct keys *keys);
/* Sorts keys alone and enters them, unless there is an error already, and frees the list. *ret_changed:
 * whether the map held others. */
int keys_enter_all(int map, int error, struct keys *keys, bool *ret_changed);
