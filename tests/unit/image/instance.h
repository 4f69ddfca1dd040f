/* SPDX-License-Identifier: Apache-2.0 */
/* An instance without a kernel: its model, its ledger, and the image that its data plane holds. */
#pragma once

#include "unit/models.h"
#include "core/image/moves.h"

enum { IDLE = 120, LATER = 1000 };

/* An instance: a model, and what its data plane holds. */
struct instance {
	struct model *model;
	struct ledger *ledger;
	struct image *image;
	uint32_t now;
	const char *down; /* names with a space behind each */
	uint32_t down_since;
	bool answers;
	bool census;      /* flows have been counted, and none is away but where the bits say so */
	uint32_t counted; /* when, at the latest, the packets began that were through by then; 0: just now */
	bool away[1024];
};

static inline struct health seen(void *context, const char *pool, const struct backend *backend)
{
	const struct instance *instance = context;
	char word[NAME_SIZE + 1];

	(void)pool;
	snprintf(word, sizeof word, "%s ", backend->name);
	if (!instance->down || !strstr(instance->down, word))
		return (struct health){.state = HEALTH_UP};
	return (struct health){HEALTH_DOWN, instance->down_since, instance->answers};
}

static inline bool away(void *context, uint32_t pool, uint32_t slot)
{
	(void)pool;
	return ((const struct instance *)context)->away[slot];
}

/* The image at `now`; whether anything would be loaded. */
static inline bool load(struct instance *instance, uint32_t now)
{
	const struct moment moment = {.now = now,
				      .wall = (int64_t)now * 1000,
				      .health = seen,
				      .away = instance->census ? away : NULL,
				      .counted = instance->counted ? instance->counted : now,
				      .context = instance};
	struct refusal refusal = {0};
	struct image *image;
	struct plan *plan;
	bool changed;

	assert_int_equal(ledger_assign(instance->ledger, instance->model, HF_DEFAULT_COUNTERS, &refusal), 0);
	if (image_build(instance->model, instance->ledger, instance->image, &moment, &image, &refusal) != 0)
		fail_msg("%s", refusal.what);
	assert_int_equal(plan_make(instance->image, image, &plan), 0);
	changed = !plan_empty(plan);
	plan_free(plan);
	image_free(instance->image);
	instance->image = image;
	instance->now = now;
	return changed;
}

static inline struct instance *begin(int backends, const char *pool)
{
	struct instance *instance = calloc(1, sizeof *instance);

	instance->model = small_model(backends);
	instance->ledger = ledger_new();
	operate(&instance->model, "service.set",
		"{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'idle': %d}", IDLE);
	if (pool)
		operate(&instance->model, "pool.set", "{'name': 'db', %s}", pool);
	load(instance, 100);
	return instance;
}

static inline void end(struct instance *instance)
{
	image_free(instance->image);
	ledger_free(instance->ledger);
	model_free(instance->model);
	free(instance);
}

static inline struct slot slot_at(const struct instance *instance, uint32_t at)
{
	const struct pool_image *pool = &instance->image->pools[0];

	return slot_read(pool->words[at], pool->since ? pool->since[at] : 0);
}

static inline uint16_t number_of(const struct instance *instance, const char *name)
{
	return ledger_backend(instance->ledger, "db", pool_backend(&instance->model->pools[0], name));
}

static inline uint8_t flags_of(const struct instance *instance, const char *name)
{
	return image_backend(instance->image, number_of(instance, name))->entry.flags;
}

static inline bool has_hop(const struct hf_hops *hops, uint16_t number)
{
	for (int i = 0; i < hops->count; i++)
		if (hops->backend[i] == number)
			return true;
	return false;
}

/* The maps, as far as images live in them. */
static inline void lend(struct instance *instance, uint64_t *words, uint32_t *since)
{
	const struct pool_image *pool = &instance->image->pools[0];

	memcpy(words, pool->words, pool->table.size * sizeof *words);
	memcpy(since, pool->since, pool->table.size * sizeof *since);
	image_lend_words(instance->image, 0, words, since);
	assert_ptr_equal(pool->since, since);
}
