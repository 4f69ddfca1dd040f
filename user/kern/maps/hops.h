/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store of hops: immutable records in the hops map, each kept once, however many slots name it. Nobody
 * counts who names what; a sweep finds out when memory is reclaimed.
 */
#pragma once

#include <holdfast/abi.h>
#include <stddef.h>
#include <stdint.h>

struct hops_store;

/* memory: the map's entries, of which the first is never used. */
int hops_store_open(struct hf_hops *memory, uint32_t entries, struct hops_store **ret);
void hops_store_close(struct hops_store *store);
/* The index of a record that equals hops, written if there is none. -ENOSPC, -ENOMEM. */
int hops_intern(struct hops_store *store, const struct hf_hops *hops, uint32_t *ret_index);
/*
 * A sweep: forget everything, then mark what the words of each table name. What is not marked is free, once
 * the sweep has ended: one that failed halfway knows too little, and until another ends hops_intern() gives
 * -ENOMEM.
 */
int hops_sweep_begin(struct hops_store *store);
int hops_sweep_mark(struct hops_store *store, const uint64_t *words, size_t count);
void hops_sweep_end(struct hops_store *store);
uint32_t hops_count(const struct hops_store *store);
