// SPDX-License-Identifier: Apache-2.0
#include "flows.h"

#include <errno.h>
#include <holdfast/directory.h>
#include <holdfast/slot.h>
#include <netinet/in.h>
#include <stdlib.h>
#include "state.h"

enum {
	SERVICE_NUMBERS = 65536,
	LOST_IDLE = 60, /* seconds of silence after which a flow whose backend serves no more is over */
};

/* What one pass knows before it begins. */
struct pass {
	struct dataplane *dataplane;
	struct flow_census *census;
	uint64_t always[SERVICE_NUMBERS / 64]; /* services that track always, a bit each */
	uint32_t now;
};

static void services_note(struct pass *pass)
{
	const struct dataplane *dataplane = pass->dataplane;
	uint64_t word = dataplane->control->services;
	uint32_t first = hf_directory_first(word);
	uint32_t count = word ? 1U << hf_directory_log2(word) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct hf_service *service = &dataplane->services[first + i];

		if (service->key.proto && service->track == HF_TRACK_ALWAYS)
			bit_set(pass->always, service->number);
	}
}

static bool is_slot_settled(const struct dataplane *dataplane, const struct hf_table *table, uint32_t slot)
{
	return !table->old_size &&
	       (slot >= table->size || !hf_slot_is_moving(dataplane->slots[table->first + slot]));
}

static uint32_t idle_of(const struct dataplane *dataplane, const struct hf_flow *flow)
{
	uint8_t serves = flow->proto == IPPROTO_UDP ? HF_BACKEND_SERVES_UDP : HF_BACKEND_SERVES_TCP;

	if (dataplane->backends[flow->backend].flags & serves || flow->idle < LOST_IDLE)
		return flow->idle;
	return LOST_IDLE;
}

static bool is_over(const struct pass *pass, const struct hf_flow *flow)
{
	const struct dataplane *dataplane = pass->dataplane;
	const struct hf_table *table = table_in_force(dataplane, flow->pool);

	if (!table || (int32_t)(pass->now - flow->seen) > (int32_t)idle_of(dataplane, flow))
		return true;
	return is_slot_settled(dataplane, table, flow->slot) && !bit_is_set(pass->always, flow->service);
}

static int pool_note_away(struct pool_flows *pool, const struct hf_table *table, uint32_t slot)
{
	pool->away++;
	if (!pool->away_slots) {
		pool->slots = table->size;
		pool->away_slots = calloc(table->size / 64 + 1, sizeof *pool->away_slots);
		if (!pool->away_slots)
			return -ENOMEM;
	}
	if (slot < pool->slots)
		bit_set(pool->away_slots, slot);
	return 0;
}

static int flow_note(const struct pass *pass, const struct hf_flow *flow)
{
	const struct hf_table *table = table_in_force(pass->dataplane, flow->pool);
	struct flow_census *census = pass->census;
	struct backend_flows *backend = &census->backends[flow->backend];
	struct pool_flows *pool = &census->pools[flow->pool];

	pool->remembered++;
	if (flow->state == HF_FLOW_CLOSING) {
		census->closing++;
		backend->closing++;
	} else {
		bool opening = flow->state == HF_FLOW_OPENING;

		census->opening += opening;
		backend->opening += opening;
		census->established += !opening;
		backend->established += !opening;
		if ((int32_t)(flow->seen - backend->heard) > 0 || !backend->heard)
			backend->heard = flow->seen;
	}
	if (flow->slot < table->size &&
	    hf_slot_owner(pass->dataplane->slots[table->first + flow->slot]) == flow->backend)
		return 0;
	return pool_note_away(pool, table, flow->slot);
}

/*
 * Copies an entry, and returns its tag, or 0 if nothing is remembered there. What was read is of one flow
 * only if the tag was the same before and after. The data plane changes what it has claimed within
 * nanoseconds, unless the host takes the processor away. So what stays claimed is the flow that it was: a
 * count must not miss it.
 */
static uint64_t flow_read(const struct hf_flow *entry, struct hf_flow *ret)
{
	enum { PATIENCE = 1 << 16 };

	for (int i = 0; i < PATIENCE; i++) {
		uint64_t tag = __atomic_load_n(&entry->tag, __ATOMIC_ACQUIRE);

		if (tag == HF_FLOW_CLAIMED)
			continue;
		*ret = *(const volatile struct hf_flow *)entry;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&entry->tag, __ATOMIC_RELAXED) == tag)
			return tag;
	}
	*ret = *(const volatile struct hf_flow *)entry;
	return HF_FLOW_CLAIMED;
}

/*
 * Takes a flow that is over out of the table, unless another has its place meanwhile, or it has shown a
 * packet just now.
 */
static bool purge(const struct pass *pass, struct hf_flow *entry, uint64_t tag)
{
	struct hf_flow flow;

	return pass->dataplane->writable && tag != HF_FLOW_CLAIMED && flow_read(entry, &flow) == tag &&
	       is_over(pass, &flow) &&
	       __atomic_compare_exchange_n(&entry->tag, &tag, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static int walk(struct pass *pass)
{
	struct dataplane *dataplane = pass->dataplane;
	int r = 0;

	for (uint32_t i = 0; !r && i < dataplane->maps[MAP_FLOWS].entries; i++) {
		struct hf_flow flow;
		uint64_t tag = flow_read(&dataplane->flows[i], &flow);

		if (!tag || flow.pool >= HF_MAX_POOLS)
			continue;
		if (!is_over(pass, &flow))
			r = flow_note(pass, &flow);
		else if (purge(pass, &dataplane->flows[i], tag))
			pass->census->purged++;
	}
	return r;
}

static int census_new(const struct dataplane *dataplane, struct flow_census **ret)
{
	struct flow_census *census = calloc(1, sizeof *census);

	if (!census)
		return -ENOMEM;
	census->limit = dataplane->maps[MAP_FLOWS].entries;
	census->backends = calloc(HF_MAX_BACKENDS, sizeof *census->backends);
	census->pools = calloc(HF_MAX_POOLS, sizeof *census->pools);
	if (!census->backends || !census->pools) {
		flow_census_free(census);
		return -ENOMEM;
	}
	*ret = census;
	return 0;
}

void flow_census_free(struct flow_census *census)
{
	if (!census)
		return;
	for (uint32_t i = 0; census->pools && i < HF_MAX_POOLS; i++)
		free(census->pools[i].away_slots);
	free(census->pools);
	free(census->backends);
	free(census);
}

int flows_count(struct dataplane *dataplane, uint32_t now, struct flow_census **ret)
{
	struct pass pass = {.dataplane = dataplane, .now = now};
	int r = census_new(dataplane, &pass.census);

	if (r)
		return r;
	services_note(&pass);
	r = walk(&pass);
	if (r)
		flow_census_free(pass.census);
	else
		*ret = pass.census;
	return r;
}

bool flow_census_away(const struct flow_census *census, uint32_t number, uint32_t slot)
{
	const struct pool_flows *pool = number < HF_MAX_POOLS ? &census->pools[number] : NULL;

	return pool && pool->away_slots && slot < pool->slots && bit_is_set(pool->away_slots, slot);
}

uint32_t flows_on_slots(const struct dataplane *dataplane, uint32_t pool, const uint64_t *slots,
			uint32_t size)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < dataplane->maps[MAP_FLOWS].entries; i++) {
		const struct hf_flow *flow = &dataplane->flows[i];

		count +=
			flow->tag && flow->pool == pool && flow->slot < size && bit_is_set(slots, flow->slot);
	}
	return count;
}

void flows_clear(struct dataplane *dataplane)
{
	for (uint32_t i = 0; i < dataplane->maps[MAP_FLOWS].entries; i++) {
		uint64_t tag = __atomic_load_n(&dataplane->flows[i].tag, __ATOMIC_RELAXED);

		if (tag != HF_FLOW_CLAIMED)
			__atomic_compare_exchange_n(&dataplane->flows[i].tag, &tag, 0, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}
