/* SPDX-License-Identifier: Apache-2.0 */
/* Giving numbers to what a model has that the ledger does not know yet. */
#include <errno.h>
#include <holdfast/abi.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_private.h"

enum { COUNTERS_LEAST = 8 }; /* ordinals a service has room for from the start */

/* Numbers in use, and the last one given. */
struct numbers {
	bool *used;
	uint32_t limit; /* numbers run from 1 to limit - 1 */
	uint32_t last;
};

static int numbers_begin(struct numbers *numbers, uint32_t limit, uint32_t last)
{
	*numbers = (struct numbers){calloc(limit, sizeof(bool)), limit, last};
	return numbers->used ? 0 : -ENOMEM;
}

/* 0: all are in use. */
static uint32_t numbers_give(struct numbers *numbers)
{
	for (uint32_t step = 1; step < numbers->limit; step++) {
		uint32_t number = (numbers->last - 1 + step) % (numbers->limit - 1) + 1;

		if (numbers->last == 0)
			number = step;
		if (numbers->used[number])
			continue;
		numbers->used[number] = true;
		numbers->last = number;
		return number;
	}
	return 0;
}

static int refuse_full(struct refusal *refusal, const char *what, uint32_t limit)
{
	refuse(refusal, -ENOSPC, "every one of the %" PRIu32 " %s is taken", limit - 1, what);
	refusal_right(refusal,
		      "fewer of them, which no option raises; those of removed objects return when no flow "
		      "carries them");
	return -ENOSPC;
}

/* Room for `more` entries behind the ones there are. */
static int list_reserve(void *list, size_t count, size_t more, size_t size)
{
	void *grown = realloc(*(void **)list, (count + more) * size + 1);

	if (!grown)
		return -ENOMEM;
	*(void **)list = grown;
	return 0;
}

static int assign_pools(struct ledger *ledger, const struct model *model, struct refusal *refusal)
{
	size_t known = ledger->pool_count;
	struct numbers numbers;
	int error = numbers_begin(&numbers, HF_MAX_POOLS, ledger->last_pool);

	if (error == 0)
		error = list_reserve(&ledger->pools, known, model->pool_count, sizeof *ledger->pools);
	for (size_t i = 0; error == 0 && i < known; i++) {
		ledger->pools[i].retired = true;
		numbers.used[ledger->pools[i].number] = true;
	}
	for (size_t i = 0; error == 0 && i < model->pool_count; i++) {
		struct pool_entry key = {0}, *entry;

		strcpy(key.name, model->pools[i].name);
		entry = known ? bsearch(&key, ledger->pools, known, sizeof key, ledger_pool_order) : NULL;
		if (entry) {
			entry->retired = false;
			continue;
		}
		key.number = numbers_give(&numbers);
		if (key.number)
			ledger->pools[ledger->pool_count++] = key;
		else
			error = refuse_full(refusal, "pool numbers", numbers.limit);
	}
	ledger->last_pool = numbers.last;
	free(numbers.used);
	return error;
}

/* The pool's entries are neighbours: [first, end) among the sorted ones. */
static void pool_extent(const struct ledger *ledger, size_t known, const char *pool, size_t *ret_first,
			size_t *ret_end)
{
	size_t low = 0, high = known, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(ledger->backends[middle].pool, pool) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < known && strcmp(ledger->backends[end].pool, pool) == 0; end++)
		;
	*ret_first = low;
	*ret_end = end;
}

/* Ordinals are the pool's own; a pool's lowest free ones go first, so that counter ranges stay narrow. */
static int assign_pool_backends(struct ledger *ledger, size_t known, const struct pool *pool,
				struct numbers *numbers, struct refusal *refusal)
{
	size_t first, end;
	uint32_t ordinal = 0;
	bool *used;

	pool_extent(ledger, known, pool->name, &first, &end);
	used = calloc(HF_MAX_BACKENDS, sizeof *used);
	if (!used)
		return -ENOMEM;
	for (size_t i = first; i < end; i++)
		used[ledger->backends[i].ordinal] = true;
	for (size_t i = 0; i < pool->backend_count; i++) {
		struct backend_entry key = {.address = pool->backends[i].address}, *entry;

		strcpy(key.pool, pool->name);
		strcpy(key.name, pool->backends[i].name);
		entry = end > first ? bsearch(&key, ledger->backends + first, end - first, sizeof key,
					      ledger_backend_order)
				    : NULL;
		if (entry) {
			entry->retired = false;
			continue;
		}
		while (used[ordinal])
			ordinal++;
		used[ordinal] = true;
		key.ordinal = (uint16_t)ordinal;
		key.number = (uint16_t)numbers_give(numbers);
		if (!key.number) {
			free(used);
			return refuse_full(refusal, "backend numbers", numbers->limit);
		}
		ledger->backends[ledger->backend_count++] = key;
	}
	free(used);
	return 0;
}

static int assign_backends(struct ledger *ledger, const struct model *model, struct refusal *refusal)
{
	size_t known = ledger->backend_count, more = 0;
	struct numbers numbers;
	int error = numbers_begin(&numbers, HF_MAX_BACKENDS, ledger->last_backend);

	for (size_t i = 0; i < model->pool_count; i++)
		more += model->pools[i].backend_count;
	if (error == 0)
		error = list_reserve(&ledger->backends, known, more, sizeof *ledger->backends);
	for (size_t i = 0; error == 0 && i < known; i++) {
		ledger->backends[i].retired = true;
		numbers.used[ledger->backends[i].number] = true;
	}
	for (size_t i = 0; error == 0 && i < model->pool_count; i++)
		error = assign_pool_backends(ledger, known, &model->pools[i], &numbers, refusal);
	ledger->last_backend = numbers.last;
	free(numbers.used);
	return error;
}

/* Counters -------------------------------------------------------------------------- */

static int counter_range_order(const void *a, const void *b)
{
	const struct counter_range *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

/* The first gap between ranges in use, when the end of the counters is reached. */
static uint32_t find_gap(const struct ledger *ledger, uint32_t count, uint32_t limit)
{
	size_t used = 0;
	uint32_t at = 1;
	struct counter_range *ranges;

	ranges = malloc((ledger->service_count + ledger->idle_range_count + 1) * sizeof *ranges);
	if (!ranges)
		return 0;
	for (size_t i = 0; i < ledger->service_count; i++)
		ranges[used++] = ledger->services[i].counters;
	for (size_t i = 0; i < ledger->idle_range_count; i++)
		ranges[used++] = ledger->idle_ranges[i];
	qsort(ranges, used, sizeof *ranges, counter_range_order);
	for (size_t i = 0; i < used && ranges[i].first < at + count; i++)
		if (ranges[i].first + ranges[i].count > at)
			at = ranges[i].first + ranges[i].count;
	free(ranges);
	return at + count <= limit ? at : 0;
}

static bool give_counters(struct ledger *ledger, struct counter_range *range, uint32_t count, uint32_t limit)
{
	uint32_t first = ledger->next_counter;

	if (first + count > limit)
		first = find_gap(ledger, count, limit);
	else
		ledger->next_counter += count;
	if (first)
		*range = (struct counter_range){first, count};
	return first != 0;
}

/* Room to grow where there is room; otherwise what is needed now. */
static int widen_counters(struct ledger *ledger, struct service_entry *entry, uint32_t needed, uint32_t limit,
			  struct refusal *refusal)
{
	struct counter_range before = entry->counters;
	uint32_t roomy = COUNTERS_LEAST;

	while (roomy < needed)
		roomy *= 2;
	entry->counters.count = 0; /* not its own obstacle: the old range is kept below */
	if (before.count) {
		if (list_reserve(&ledger->idle_ranges, ledger->idle_range_count, 1, sizeof before) < 0)
			return -ENOMEM;
		ledger->idle_ranges[ledger->idle_range_count++] = before;
	}
	if (give_counters(ledger, &entry->counters, roomy, limit) ||
	    give_counters(ledger, &entry->counters, needed, limit))
		return 0;
	refuse(refusal, -ENOSPC,
	       "the %" PRIu32 " counters are not enough: each service takes one for each backend of its pool",
	       limit - 1);
	refusal_right_raise(refusal, "fewer services or backends", "--max-counters", 2 * (uint64_t)limit);
	return -ENOSPC;
}

static uint32_t pool_ordinals(const struct ledger *ledger, const char *pool)
{
	size_t first, end;
	uint32_t ordinals = 1;

	pool_extent(ledger, ledger->backend_count, pool, &first, &end);
	for (size_t i = first; i < end; i++)
		if (ledger->backends[i].ordinal >= ordinals)
			ordinals = ledger->backends[i].ordinal + 1U;
	return ordinals;
}

static int assign_service(struct ledger *ledger, size_t known, const struct service *service,
			  uint32_t counter_limit, struct numbers *numbers, struct refusal *refusal)
{
	struct service_entry key = {.key = *service}, *entry;
	uint32_t needed = pool_ordinals(ledger, service->pool);

	entry = known ? bsearch(&key, ledger->services, known, sizeof key, ledger_service_order) : NULL;
	if (!entry) {
		key.number = (uint16_t)numbers_give(numbers);
		if (!key.number)
			return refuse_full(refusal, "service numbers", numbers->limit);
		entry = &ledger->services[ledger->service_count++];
		*entry = key;
	}
	entry->retired = false;
	/* Another pool's backends count under other ordinals: the old figures must not become theirs. */
	if (entry->counters.count >= needed && strcmp(entry->key.pool, service->pool) == 0)
		return 0;
	entry->key = *service;
	return widen_counters(ledger, entry, needed, counter_limit, refusal);
}

static int assign_services(struct ledger *ledger, const struct model *model, uint32_t counter_limit,
			   struct refusal *refusal)
{
	size_t known = ledger->service_count;
	struct numbers numbers;
	int error = numbers_begin(&numbers, HF_MAX_SERVICES, ledger->last_service);

	if (error == 0)
		error = list_reserve(&ledger->services, known, model->service_count,
				     sizeof *ledger->services);
	for (size_t i = 0; error == 0 && i < known; i++) {
		ledger->services[i].retired = true;
		numbers.used[ledger->services[i].number] = true;
	}
	for (size_t i = 0; error == 0 && i < model->service_count; i++)
		error = assign_service(ledger, known, &model->services[i], counter_limit, &numbers, refusal);
	ledger->last_service = numbers.last;
	free(numbers.used);
	return error;
}

int ledger_assign(struct ledger *ledger, const struct model *model, uint32_t counter_limit,
		  struct refusal *refusal)
{
	struct ledger *copy = ledger_copy(ledger), before;
	int error;

	if (!copy)
		return -ENOMEM;
	error = assign_pools(copy, model, refusal);
	if (error == 0)
		error = assign_backends(copy, model, refusal);
	if (error == 0)
		error = ledger_index(copy);
	if (error == 0)
		error = assign_services(copy, model, counter_limit, refusal);
	if (error == 0)
		error = ledger_index(copy);
	if (error == 0) {
		before = *ledger;
		*ledger = *copy;
		*copy = before;
	}
	ledger_free(copy);
	return error;
}
