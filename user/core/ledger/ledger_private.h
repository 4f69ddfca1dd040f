/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a ledger, shared by its keeping and its writing down. */
#pragma once

#include "ledger.h"

struct pool_entry {
	char name[NAME_SIZE];
	uint32_t number;
	bool retired;
};

struct backend_entry {
	char pool[NAME_SIZE];
	char name[NAME_SIZE];
	struct address address;
	uint16_t number;
	uint16_t ordinal;
	bool retired;
};

struct counter_range {
	uint32_t first, count;
};

struct service_entry {
	struct service key; /* proto, vip, ports; pool: whose ordinals the counters follow */
	uint16_t number;
	struct counter_range counters;
	bool retired;
};

/* Lists are sorted by what their entries stand for. */
struct ledger {
	struct pool_entry *pools;
	size_t pool_count;
	struct backend_entry *backends;
	size_t backend_count;
	struct service_entry *services;
	size_t service_count;
	struct counter_range *idle_ranges; /* no longer any service's, perhaps still written to */
	size_t idle_range_count;
	/* Numbers are given in turn, so that one that was released rests for as long as can be. */
	uint32_t last_pool, last_backend, last_service;
	uint32_t next_counter;
	uint32_t *by_number; /* backend number -> index of backends + 1 */
};

int ledger_pool_order(const void *a, const void *b);
int ledger_backend_order(const void *a, const void *b);
int ledger_service_order(const void *a, const void *b);
/* Sorts every list and makes by_number anew. 0 or -ENOMEM. */
int ledger_index(struct ledger *ledger);
