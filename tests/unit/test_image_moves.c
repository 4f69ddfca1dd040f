/* SPDX-License-Identifier: Apache-2.0 */
/* What an image makes of the words before, of time, and of the history. */
#include "unit/models.h"

#include <errno.h>

#include "core/config/config.h"
#include <holdfast/flowhash.h>
#include "core/config/model_json.h"
#include "core/model/history.h"
#include "core/image/image_pool.h"
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

static struct health seen(void *context, const char *pool, const struct backend *backend)
{
	const struct instance *instance = context;
	char word[NAME_SIZE + 1];

	(void)pool;
	snprintf(word, sizeof word, "%s ", backend->name);
	if (!instance->down || !strstr(instance->down, word))
		return (struct health){.state = HEALTH_UP};
	return (struct health){HEALTH_DOWN, instance->down_since, instance->answers};
}

static bool away(void *context, uint32_t pool, uint32_t slot)
{
	(void)pool;
	return ((const struct instance *)context)->away[slot];
}

/* The image at `now`; whether anything would be loaded. */
static bool load(struct instance *instance, uint32_t now)
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

static struct instance *begin(int backends, const char *pool)
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

static void end(struct instance *instance)
{
	image_free(instance->image);
	ledger_free(instance->ledger);
	model_free(instance->model);
	free(instance);
}

static struct slot slot_at(const struct instance *instance, uint32_t at)
{
	const struct pool_image *pool = &instance->image->pools[0];

	return slot_read(pool->words[at], pool->since ? pool->since[at] : 0);
}

static uint16_t number_of(const struct instance *instance, const char *name)
{
	return ledger_backend(instance->ledger, "db", pool_backend(&instance->model->pools[0], name));
}

static uint8_t flags_of(const struct instance *instance, const char *name)
{
	return image_backend(instance->image, number_of(instance, name))->entry.flags;
}

/* Moves ---------------------------------------------------------------------------- */

static void a_slot_moves_from_where_it_was_settled(void **state)
{
	struct slot slot = slot_settled(1);

	(void)state;
	slot = slot_give(slot, 2, true, 10);
	assert_true(slot.moving && slot.owner == 2 && slot.base == 1 && slot.since == 10);
	slot = slot_give(slot, 3, true, 20); /* changes overlap: old flows are where they were */
	assert_true(slot.moving && slot.owner == 3 && slot.base == 1 && slot.since == 10);
	slot = slot_give(slot, 1, true, 30); /* flows of 2 and 3 are remembered */
	assert_true(slot.moving && slot.owner == 1 && slot.base == 1 && slot.since == 10);
	slot = slot_give(slot_settled(1), 2, false, 10); /* the dead keep nothing */
	assert_true(!slot.moving && slot.owner == 2 && slot.base == 2);
	slot = slot_give(slot_settled(0), 2, false, 10);
	assert_true(!slot.moving && slot.owner == 2 && slot.base == 2);
	slot = slot_give(slot_settled(1), 0, true, 10); /* nobody takes new flows, old ones stay */
	assert_true(slot.moving && slot.owner == 0 && slot.base == 1);
	assert_true(slot_read(slot_word(slot), 10).moving && slot_read(slot_word(slot), 10).base == 1);
}

static void a_drain_moves_and_settles(void **state)
{
	struct instance *instance = begin(5, NULL);
	uint16_t drained = number_of(instance, "db3");
	uint32_t moving = 0, owned, based;

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	for (uint32_t at = 0; at < 251; at++) {
		struct slot slot = slot_at(instance, at);

		moving += slot.moving;
		if (slot.moving) {
			assert_int_equal(slot.base, drained);
			assert_int_equal(slot.since, LATER);
		}
	}
	assert_in_range(moving, 40, 60);
	assert_int_equal(instance->image->pools[0].moving, moving);
	assert_int_equal(instance->image->pools[0].settles, LATER + IDLE);
	assert_int_equal(image_next(instance->image), LATER + IDLE);
	image_backend_slots(instance->image, drained, &owned, &based);
	assert_int_equal(owned, 0);
	assert_int_equal(based, moving);
	assert_int_equal(flags_of(instance, "db3"), HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP);

	instance->census = true;
	assert_false(load(instance, LATER + IDLE - 1)); /* an old flow may be silent */
	instance->census = false;
	assert_false(load(instance, LATER + IDLE)); /* nobody has counted */
	instance->census = true;
	for (uint32_t at = 0; at < 251; at++)
		instance->away[at] = at < 125; /* old flows live on */
	assert_true(load(instance, LATER + IDLE));
	for (uint32_t at = 125; at < 251; at++)
		assert_false(slot_at(instance, at).moving);
	assert_in_range(instance->image->pools[0].moving, 10, 45);
	assert_int_equal(image_next(instance->image), LATER + IDLE); /* ask again */
	memset(instance->away, 0, sizeof instance->away);
	assert_true(load(instance, LATER + IDLE + 1));
	assert_int_equal(instance->image->pools[0].moving, 0);
	assert_int_equal(instance->image->pools[0].settles, 0);
	assert_null(instance->image->pools[0].since);
	image_backend_slots(instance->image, drained, &owned, &based);
	assert_int_equal(based, 0);
	end(instance);
}

/* An old flow may be heard for the first time after the count, as long as its slot is not ripe. */
static void nothing_settles_by_a_count_that_began_before_it_was_ripe(void **state)
{
	struct instance *instance = begin(5, NULL);

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	instance->census = true;
	instance->counted = LATER + IDLE - 1;
	assert_false(load(instance, LATER + IDLE));
	assert_int_equal(image_next(instance->image), LATER + IDLE); /* ask again */
	assert_int_equal(instance->image->pools[0].ripened, LATER + IDLE);
	assert_false(load(instance, LATER + 10 * IDLE));
	instance->counted = LATER + IDLE;
	assert_true(load(instance, LATER + 10 * IDLE + 1));
	assert_int_equal(instance->image->pools[0].moving, 0);
	assert_int_equal(instance->image->pools[0].ripened, 0);
	end(instance);
}

/* A census that was taken for other owners says nothing. */
static void nothing_settles_while_its_owner_changes(void **state)
{
	struct instance *instance = begin(5, NULL);

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	operate(&instance->model, "backend.activate", "{'pool': 'db', 'name': 'db3'}");
	instance->census = true;
	load(instance, LATER + IDLE - 1);
	assert_in_range(instance->image->pools[0].moving, 40, 60);
	load(instance, LATER + IDLE); /* back at their base, none away */
	assert_int_equal(instance->image->pools[0].moving, 0);
	end(instance);
}

/*
 * Once a slot is ripe, a flow that the table had no room for is at its owner, and would be looked for at the
 * new one: so the owner so far becomes its base.
 */
static void a_ripe_slot_that_moves_again_has_its_owner_as_base(void **state)
{
	struct instance *instance = begin(5, NULL);
	uint16_t first = number_of(instance, "db3"), owners[251];
	uint32_t moved = 0;

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	for (uint32_t at = 0; at < 251; at++)
		owners[at] = slot_at(instance, at).owner;
	operate(&instance->model, "backend.activate", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER + 2 * IDLE);
	for (uint32_t at = 0; at < 251; at++) {
		struct slot slot = slot_at(instance, at);

		if (slot.owner != first || slot.owner == owners[at])
			continue;
		moved++;
		assert_true(slot.moving);
		assert_int_equal(slot.base, owners[at]);
		assert_int_equal(slot.since, LATER + 2 * IDLE);
	}
	assert_in_range(moved, 40, 60);
	instance->census = true;
	load(instance, LATER + 3 * IDLE + 1);
	assert_int_equal(instance->image->pools[0].moving, 0);
	end(instance);
}

/* The maps, as far as images live in them. */
static void lend(struct instance *instance, uint64_t *words, uint32_t *since)
{
	const struct pool_image *pool = &instance->image->pools[0];

	memcpy(words, pool->words, pool->table.size * sizeof *words);
	memcpy(since, pool->since, pool->table.size * sizeof *since);
	image_lend_words(instance->image, 0, words, since);
	assert_ptr_equal(pool->since, since);
}

/* The data plane meets flows that it cannot remember, and their slots move on for an idle time from then. */
static void what_the_data_plane_puts_off_is_not_ripe(void **state)
{
	struct instance *instance = begin(5, NULL);
	static uint64_t words[251];
	static uint32_t since[251];
	uint32_t busy = 0;

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	lend(instance, words, since);
	while (!slot_at(instance, busy).moving)
		busy++;
	since[busy] = LATER + IDLE - 1;
	assert_int_equal(pool_image_began_last(&instance->image->pools[0]), LATER + IDLE - 1);
	instance->census = true;
	load(instance, LATER + IDLE + 1);
	assert_int_equal(instance->image->pools[0].moving, 1);
	assert_int_equal(instance->image->pools[0].settles, LATER + 2 * IDLE - 1);
	assert_true(slot_at(instance, busy).moving);
	load(instance, LATER + 2 * IDLE);
	assert_int_equal(instance->image->pools[0].moving, 0);
	end(instance);
}

static void an_old_table_stays_while_what_is_not_remembered_lives_in_it(void **state)
{
	struct instance *instance = begin(5, NULL);
	static uint64_t words[509];
	static uint32_t since[509];

	(void)state;
	operate(&instance->model, "pool.set", "{'name': 'db', 'table_size': 509}");
	load(instance, LATER);
	assert_int_equal(instance->image->pools[0].table.old_size, 251);
	lend(instance, words, since);
	since[77] = LATER + IDLE - 1;
	instance->census = true;
	load(instance, LATER + IDLE + 1);
	assert_int_equal(instance->image->pools[0].table.old_size, 251);
	assert_int_equal(instance->image->pools[0].table.since, LATER);
	assert_int_equal(instance->image->pools[0].settles, LATER + 2 * IDLE - 1);
	load(instance, LATER + 2 * IDLE);
	assert_int_equal(instance->image->pools[0].table.old_size, 0);
	end(instance);
}

static void down_is_a_drain_with_a_short_deadline(void **state)
{
	struct instance *instance = begin(5, NULL);
	uint16_t dead = number_of(instance, "db3");

	(void)state;
	instance->down = "db3 ";
	instance->down_since = LATER;
	load(instance, LATER);
	assert_int_equal(flags_of(instance, "db3"), HF_BACKEND_SERVES_TCP); /* UDP has no grace */
	assert_in_range(instance->image->pools[0].moving, 40, 60);
	assert_int_equal(image_next(instance->image), LATER + TCP_GRACE_DEFAULT);
	assert_false(load(instance, LATER + TCP_GRACE_DEFAULT - 1));
	assert_true(load(instance, LATER + TCP_GRACE_DEFAULT));
	assert_int_equal(flags_of(instance, "db3"), 0);
	instance->census = true; /* remembered flows of the dead are no reason to wait */
	assert_true(load(instance, LATER + TCP_GRACE_DEFAULT + 1));
	assert_int_equal(instance->image->pools[0].moving, 0);
	for (uint32_t at = 0; at < 251; at++)
		assert_int_not_equal(slot_at(instance, at).base, dead);
	end(instance);
}

static void a_false_alarm_leaves_no_trace(void **state)
{
	struct instance *instance = begin(5, NULL);
	uint64_t words[251];

	(void)state;
	memcpy(words, instance->image->pools[0].words, sizeof words);
	instance->down = "db3 ";
	instance->down_since = LATER;
	load(instance, LATER);
	instance->down = NULL;
	load(instance, LATER + 5);
	for (uint32_t at = 0; at < 251; at++)
		assert_int_equal((uint32_t)instance->image->pools[0].words[at], (uint32_t)words[at]);
	instance->census = true;
	load(instance, LATER + 6);
	assert_memory_equal(instance->image->pools[0].words, words, sizeof words);
	end(instance);
}

static void a_deadline_cuts_a_drain(void **state)
{
	struct instance *instance = begin(5, NULL);

	(void)state;
	/* Operations of these tests happen at TEST_NOW. */
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3', 'deadline': '30s'}");
	load(instance, TEST_NOW / 1000);
	assert_int_equal(flags_of(instance, "db3"), HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP);
	assert_int_equal(image_next(instance->image), TEST_NOW / 1000 + 30);
	load(instance, TEST_NOW / 1000 + 30);
	assert_int_equal(flags_of(instance, "db3"), 0);
	end(instance);
}

static void the_disabled_and_the_removed_keep_nothing(void **state)
{
	struct instance *instance = begin(5, NULL);

	(void)state;
	operate(&instance->model, "backend.disable", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	assert_int_equal(instance->image->pools[0].moving, 0);
	operate(&instance->model, "backend.remove", "{'pool': 'db', 'name': 'db4', 'now': true}");
	load(instance, LATER + 1);
	for (uint32_t at = 0; at < 251; at++) {
		const char *name;

		assert_true(
			ledger_backend_name(instance->ledger, slot_at(instance, at).base, NULL, &name, NULL));
		assert_string_not_equal(name, "db4");
	}
	end(instance);
}

static void pools_without_services_have_nothing_to_keep(void **state)
{
	struct instance *instance = begin(5, NULL);

	(void)state;
	operate(&instance->model, "service.remove", "{'proto': 'tcp', 'listen': '203.0.113.10:5432'}");
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	assert_int_equal(instance->image->pools[0].moving, 0);
	end(instance);
}

static void the_last_backend_drains_without_a_successor(void **state)
{
	struct instance *instance = begin(1, NULL);
	uint16_t last = number_of(instance, "db1");

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db1'}");
	load(instance, LATER);
	for (uint32_t at = 0; at < 251; at++) {
		assert_int_equal(slot_at(instance, at).owner, 0);
		assert_int_equal(slot_at(instance, at).base, last);
		assert_true(slot_at(instance, at).moving);
	}
	end(instance);
}

static void another_table_keeps_the_old_one_until_it_is_settled(void **state)
{
	struct instance *instance = begin(5, NULL);
	const struct hf_table *table;

	(void)state;
	operate(&instance->model, "pool.set", "{'name': 'db', 'table_size': 509}");
	load(instance, LATER);
	table = &instance->image->pools[0].table;
	assert_int_equal(table->size, 509);
	assert_int_equal(table->old_size, 251);
	assert_true(table->old_seed == table->seed);
	assert_int_equal(table->since, LATER);
	assert_int_equal(instance->image->pools[0].moving, 509);
	assert_int_equal(image_next(instance->image), LATER + IDLE);
	/* A second change: unremembered flows are where they were before the first. */
	operate(&instance->model, "pool.set", "{'name': 'db', 'hash': 'source'}");
	load(instance, LATER + 50);
	table = &instance->image->pools[0].table;
	assert_int_equal(table->old_size, 251);
	assert_int_equal(table->old_hash, HF_HASH_5TUPLE);
	assert_int_equal(table->since, LATER + 50);
	instance->census = true;
	assert_false(load(instance, LATER + 50 + IDLE - 1));
	assert_int_equal(instance->image->pools[0].moving, 509);
	assert_true(load(instance, LATER + 50 + IDLE)); /* the old table goes */
	assert_int_equal(instance->image->pools[0].table.old_size, 0);
	/* The count was made while it still gave flows their base: some may have been heard since. */
	assert_int_equal(instance->image->pools[0].moving, 509);
	assert_int_equal(image_next(instance->image), LATER + 50 + IDLE);
	instance->away[7] = true; /* as the next count shows */
	assert_true(load(instance, LATER + 50 + IDLE + 2));
	assert_int_equal(instance->image->pools[0].moving, 1);
	assert_true(slot_at(instance, 7).moving);
	end(instance);
}

/* Nobody owns a slot of the new table then, but the flows of the old one live on. */
static void the_old_table_stays_where_all_backends_drain(void **state)
{
	struct instance *instance = begin(2, NULL);

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db1'}");
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db2'}");
	load(instance, LATER);
	operate(&instance->model, "pool.set", "{'name': 'db', 'table_size': 509}");
	load(instance, LATER + 1);
	assert_int_equal(instance->image->pools[0].table.old_size, 251);
	assert_int_equal((uint32_t)instance->image->pools[0].words[0], 0);
	operate(&instance->model, "backend.add", "{'pool': 'db', 'name': 'db3', 'address': '10.0.0.3'}");
	load(instance, LATER + 2);
	assert_int_equal(instance->image->pools[0].table.old_size, 251);
	assert_int_equal(instance->image->pools[0].table.since, LATER + 1);
	operate(&instance->model, "pool.set", "{'name': 'db', 'table_size': 1021}");
	load(instance, LATER + 3);
	assert_int_equal(instance->image->pools[0].table.old_size, 251);
	load(instance, LATER + 3 + IDLE);
	assert_int_equal(instance->image->pools[0].table.old_size, 0);
	end(instance);
}

static void slots_that_move_outlive_the_absence_of_their_service(void **state)
{
	struct instance *instance = begin(5, NULL);
	uint32_t moving;

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	moving = instance->image->pools[0].moving;
	operate(&instance->model, "service.remove", "{'proto': 'tcp', 'listen': '203.0.113.10:5432'}");
	load(instance, LATER + 1);
	assert_int_equal(instance->image->pools[0].moving, moving);
	instance->census = true;
	assert_false(load(instance, LATER + IDLE - 1));
	load(instance, LATER + IDLE);
	assert_int_equal(instance->image->pools[0].moving, 0);
	assert_int_equal(instance->image->pools[0].idle, IDLE);
	load(instance, LATER + IDLE + 1); /* and then there is nothing to wait for */
	assert_int_equal(instance->image->pools[0].idle, 0);
	end(instance);
}

/* Weights of nothing are a drain of everybody. */
static void where_all_weights_are_nothing_old_flows_stay(void **state)
{
	struct instance *instance = begin(3, NULL);

	(void)state;
	for (int i = 1; i <= 3; i++)
		operate(&instance->model, "backend.set", "{'pool': 'db', 'name': 'db%d', 'weight': 0}", i);
	load(instance, LATER);
	assert_int_equal(instance->image->pools[0].moving, 251);
	for (uint32_t at = 0; at < 251; at++) {
		assert_int_equal(slot_at(instance, at).owner, 0);
		assert_int_not_equal(slot_at(instance, at).base, 0);
	}
	operate(&instance->model, "backend.set", "{'pool': 'db', 'name': 'db2', 'weight': 100}");
	load(instance, LATER + 1);
	for (uint32_t at = 0; at < 251; at++)
		assert_int_equal(slot_at(instance, at).owner, number_of(instance, "db2"));
	end(instance);
}

/* As many as there are slots have one each; one more is refused, unless it weighs nothing. */
static void no_pool_has_more_weighted_backends_than_slots(void **state)
{
	struct instance *instance = begin(250, NULL);
	uint32_t owned, based;

	(void)state;
	operate(&instance->model, "backend.add", "{'pool': 'db', 'name': 'last', 'address': '10.0.1.1'}");
	load(instance, LATER);
	for (size_t i = 0; i < instance->image->backend_count; i++) {
		image_backend_slots(instance->image, instance->image->backends[i].number, &owned, &based);
		assert_int_equal(owned, 1);
	}
	refused(&instance->model, -EINVAL, "backend.add",
		"{'pool': 'db', 'name': 'more', 'address': '10.0.1.2'}",
		"252 backends with weight do not fit into 251 slots", "pool db",
		"a greater table_size, a hundred times the backends or more");
	operate(&instance->model, "backend.add",
		"{'pool': 'db', 'name': 'more', 'address': '10.0.1.2', 'weight': 0}");
	load(instance, LATER + 1);
	image_backend_slots(instance->image, number_of(instance, "more"), &owned, &based);
	assert_int_equal(owned, 0);
	end(instance);
}

/* One server under one name in two pools is two backends: each pool minds its own. */
static void a_backend_leaves_one_of_its_two_pools(void **state)
{
	struct instance *instance = begin(3, NULL);
	uint64_t words[251];
	uint16_t other;

	(void)state;
	operate(&instance->model, "pool.add", "{'name': 'web', 'table_size': 251}");
	for (int i = 1; i <= 3; i++)
		operate(&instance->model, "backend.add",
			"{'pool': 'web', 'name': 'db%d', 'address': '10.0.0.%d'}", i, i);
	operate(&instance->model, "service.add",
		"{'proto': 'tcp', 'listen': '203.0.113.10:80', 'pool': 'web'}");
	load(instance, LATER);
	memcpy(words, image_pool(instance->image, "web")->words, sizeof words);
	other = ledger_backend(instance->ledger, "web",
			       pool_backend(model_pool(instance->model, "web"), "db2"));
	assert_int_not_equal(other, number_of(instance, "db2"));
	operate(&instance->model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	load(instance, LATER + 1);
	assert_memory_equal(image_pool(instance->image, "web")->words, words, sizeof words);
	assert_int_equal(image_backend(instance->image, other)->entry.flags,
			 HF_BACKEND_TAKES_NEW | HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP);
	assert_int_equal(ledger_backend(instance->ledger, "web",
					pool_backend(model_pool(instance->model, "web"), "db2")),
			 other);
	end(instance);
}

static void the_tables_demand_is_foretold(void **state)
{
	struct instance *instance = begin(4, NULL);
	const struct pool_image *pool;
	uint64_t demand;

	(void)state;
	assert_int_equal(pool_image_demand(&instance->image->pools[0], 7, 100.0, 100), 7);
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	pool = &instance->image->pools[0];
	demand = pool_image_demand(pool, 10, 100.0, LATER + IDLE / 2);
	assert_int_equal(demand, 10 + (uint64_t)(100.0 * pool->moving / 251 * (IDLE / 2)));
	end(instance);
}

/* Read back from the maps, as after the daemon was killed: what moved goes on as it did. */
static void an_adopted_data_plane_goes_on_moving(void **state)
{
	struct instance *instance = begin(5, NULL);
	struct image *read = calloc(1, sizeof *read);
	uint64_t *words = malloc(251 * sizeof *words);
	uint32_t *since = malloc(251 * sizeof *since), moving;

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	moving = instance->image->pools[0].moving;
	memcpy(words, instance->image->pools[0].words, 251 * sizeof *words);
	memcpy(since, instance->image->pools[0].since, 251 * sizeof *since);
	read->pools = calloc(1, sizeof *read->pools);
	read->pool_count = 1;
	read->pools[0] = (struct pool_image){.number = instance->image->pools[0].number,
					     .table = instance->image->pools[0].table,
					     .words = words,
					     .since = since,
					     .moving = moving};
	image_free(instance->image);
	instance->image = read;
	load(instance, LATER + 60);
	assert_int_equal(instance->image->pools[0].moving, moving);
	assert_int_equal(instance->image->pools[0].settles, LATER + IDLE);
	end(instance);
}

/* Hops ------------------------------------------------------------------------------- */

static bool has_hop(const struct hf_hops *hops, uint16_t number)
{
	for (int i = 0; i < hops->count; i++)
		if (hops->backend[i] == number)
			return true;
	return false;
}

static void hops_name_the_owner_the_base_and_who_might_know(void **state)
{
	struct instance *instance = begin(12, "'encap': 'gue'"), *plain = begin(12, NULL);

	(void)state;
	assert_null(plain->image->pools[0].hops);
	end(plain);
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	load(instance, LATER);
	for (uint32_t at = 0; at < 251; at++) {
		const struct hf_hops *hops = &instance->image->pools[0].hops[at];
		struct slot slot = slot_at(instance, at);

		assert_int_equal(hops->count, HF_MAX_HOPS);
		assert_int_equal(hops->flags, 0);
		assert_int_equal(hops->backend[0], slot.owner);
		if (slot.moving)
			assert_int_equal(hops->backend[1], slot.base);
		for (int i = 0; i < hops->count; i++)
			for (int j = 0; j < i; j++)
				assert_int_not_equal(hops->backend[i], hops->backend[j]);
	}
	end(instance);
}

static void the_dead_are_in_no_hops_but_who_answers_is_the_last(void **state)
{
	struct instance *instance = begin(12, "'encap': 'gue'");
	uint16_t dead = number_of(instance, "db5");
	size_t last = 0;

	(void)state;
	instance->down = "db5 ";
	instance->down_since = LATER;
	load(instance, LATER); /* in its grace it serves */
	for (uint32_t at = 0; at < 251; at++)
		assert_int_equal(instance->image->pools[0].hops[at].flags, 0);
	load(instance, LATER + TCP_GRACE_DEFAULT);
	for (uint32_t at = 0; at < 251; at++)
		assert_false(has_hop(&instance->image->pools[0].hops[at], dead));
	instance->answers = true;
	load(instance, LATER + TCP_GRACE_DEFAULT + 1);
	for (uint32_t at = 0; at < 251; at++) {
		const struct hf_hops *hops = &instance->image->pools[0].hops[at];

		if (!has_hop(hops, dead))
			continue;
		last++;
		assert_int_equal(hops->backend[hops->count - 1], dead);
		assert_int_equal(hops->flags, HF_HOPS_LAST_ANSWERS);
	}
	assert_true(last > 50);
	end(instance);
}

static void few_backends_make_few_hops(void **state)
{
	struct instance *instance = begin(3, "'encap': 'gue'");

	(void)state;
	for (uint32_t at = 0; at < 251; at++)
		assert_int_equal(instance->image->pools[0].hops[at].count, 3);
	end(instance);
}

static void former_owners_are_named(void **state)
{
	struct instance *instance = begin(12, "'encap': 'gue'");
	uint16_t before[251];

	(void)state;
	for (uint32_t at = 0; at < 251; at++)
		before[at] = slot_at(instance, at).owner;
	operate(&instance->model, "backend.add", "{'pool': 'db', 'name': 'a', 'address': '10.0.1.1'}");
	operate(&instance->model, "backend.add", "{'pool': 'db', 'name': 'b', 'address': '10.0.1.2'}");
	image_free(instance->image); /* a balancer that was not there */
	instance->image = NULL;
	load(instance, LATER);
	for (uint32_t at = 0; at < 251; at++)
		assert_true(has_hop(&instance->image->pools[0].hops[at], before[at]));
	end(instance);
}

/* Whoever owned a slot while those it prefers were drained or disabled has flows of it still. */
static void owners_while_others_rested_are_named(void **state)
{
	static const char *const changes[][2] = {
		{"backend.add", "{'pool': 'db', 'name': 'a', 'address': '10.0.1.1'}"},
		{"backend.activate", "{'pool': 'db', 'name': 'db3'}"},
		{"backend.set", "{'pool': 'db', 'name': 'db5', 'weight': 300}"},
		{"backend.activate", "{'pool': 'db', 'name': 'db4'}"},
		{"backend.activate", "{'pool': 'db', 'name': 'db6'}"},
		{"backend.add", "{'pool': 'db', 'name': 'b', 'address': '10.0.1.2'}"},
	};
	struct instance *instance = begin(16, "'encap': 'gue', 'table_size': 4093");
	uint16_t *before = calloc(4093, sizeof *before);

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	operate(&instance->model, "backend.disable", "{'pool': 'db', 'name': 'db4'}");
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db6'}");
	load(instance, LATER);
	for (uint32_t at = 0; at < 4093; at++)
		before[at] = slot_at(instance, at).owner;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		operate(&instance->model, changes[i][0], changes[i][1]);
	image_free(instance->image); /* a balancer that was not there */
	instance->image = NULL;
	load(instance, LATER);
	for (uint32_t at = 0; at < 4093; at++)
		assert_true(has_hop(&instance->image->pools[0].hops[at], before[at]));
	free(before);
	end(instance);
}

/* Slots are ranges of hashes: those of another size say of a slot what they say of its hashes. */
static void former_owners_outlive_the_size_of_the_table(void **state)
{
	struct instance *instance = begin(12, "'encap': 'gue'");
	uint16_t before[251];

	(void)state;
	for (uint32_t at = 0; at < 251; at++)
		before[at] = slot_at(instance, at).owner;
	operate(&instance->model, "pool.set", "{'name': 'db', 'table_size': 509}");
	image_free(instance->image); /* a balancer that was not there */
	instance->image = NULL;
	load(instance, LATER);
	for (uint64_t hash = 0; hash < 1ULL << 32; hash += 1234567)
		assert_true(has_hop(&instance->image->pools[0].hops[hf_slot_index(hash << 32, 509)],
				    before[hf_slot_index(hash << 32, 251)]));
	end(instance);
}

/* Where flows live is the first preference of some set far more often than the second of any. */
static void first_preferences_come_before_second_ones(void **state)
{
	static const char *const changes[][2] = {
		{"backend.add", "{'pool': 'db', 'name': 'a', 'address': '10.0.1.1'}"},
		{"backend.add", "{'pool': 'db', 'name': 'b', 'address': '10.0.1.2'}"},
		{"backend.set", "{'pool': 'db', 'name': 'db5', 'weight': 300}"},
		{"backend.set", "{'pool': 'db', 'name': 'db6', 'weight': 20}"},
		{"pool.set", "{'name': 'db', 'table_size': 65537}"},
	};
	struct instance *instance = begin(8, "'encap': 'gue', 'table_size': 32771");
	uint32_t missing = 0;
	uint16_t *before = calloc(32771, sizeof *before);

	(void)state;
	for (uint32_t at = 0; at < 32771; at++)
		before[at] = slot_at(instance, at).owner;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		operate(&instance->model, changes[i][0], changes[i][1]);
	image_free(instance->image);
	instance->image = NULL;
	load(instance, LATER);
	for (uint64_t hash = 0; hash < 1ULL << 32; hash += 100003)
		missing += !has_hop(&instance->image->pools[0].hops[hf_slot_index(hash << 32, 65537)],
				    before[hf_slot_index(hash << 32, 32771)]);
	assert_true(missing <= 4); /* of 42,949 */
	free(before);
	end(instance);
}

/* History ------------------------------------------------------------------------------ */

static struct model *operate_at(struct model *model, const char *word, json_t *arguments, int64_t now)
{
	struct refusal refusal = {0};
	struct model *after;

	if (operation_apply(model, word, arguments, now, &after, &refusal) != 0)
		fail_msg("%s: %s (%s)", word, refusal.what, refusal.where);
	json_decref(arguments);
	model_free(model);
	return after;
}

static void random_change(struct instance *instance, uint64_t *random, int round)
{
	json_t *arguments = json_pack("{ss}", "pool", "db");
	const char *word;
	char name[16], address[32];

	snprintf(name, sizeof name, "db%d", 1 + (int)(draw(random) % 16));
	snprintf(address, sizeof address, "10.0.2.%d", 1 + round % 250);
	json_object_set_new(arguments, "name", json_string(name));
	if (!pool_backend(&instance->model->pools[0], name)) {
		word = "backend.add";
		json_object_set_new(arguments, "address", json_string(address));
	} else if (draw(random) % 2) {
		word = draw(random) % 2 ? "backend.drain" : "backend.activate";
	} else if (draw(random) % 2 && instance->model->pools[0].backend_count > 4) {
		word = "backend.remove";
		json_object_set_new(arguments, "now", json_true());
	} else {
		word = "backend.set";
		json_object_set_new(arguments, "weight", json_integer(50 + 50 * (int)(draw(random) % 3)));
	}
	instance->model = operate_at(instance->model, word, arguments, (int64_t)(LATER + round) * 1000);
}

/* Step by step or at once, the history says the same. */
static void former_owners_follow_from_the_history_alone(void **state)
{
	struct instance *instance = begin(8, "'encap': 'gue'");
	uint64_t random = 5;

	(void)state;
	for (int round = 0; round < 150; round++) {
		struct image *grown;

		random_change(instance, &random, round);
		load(instance, LATER + (uint32_t)round);
		grown = instance->image;
		instance->image = NULL;
		load(instance, LATER + (uint32_t)round);
		assert_true(grown->pools[0].history_digest == instance->image->pools[0].history_digest);
		for (uint32_t at = 0; at < 251; at++)
			assert_memory_equal(shared_former_slot(grown->pools[0].shared_former, at),
					    shared_former_slot(instance->image->pools[0].shared_former, at),
					    FORMER_WIDTH * sizeof(uint16_t));
		image_free(instance->image);
		instance->image = grown;
	}
	end(instance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_moves_from_where_it_was_settled),
		cmocka_unit_test(a_drain_moves_and_settles),
		cmocka_unit_test(nothing_settles_by_a_count_that_began_before_it_was_ripe),
		cmocka_unit_test(nothing_settles_while_its_owner_changes),
		cmocka_unit_test(a_ripe_slot_that_moves_again_has_its_owner_as_base),
		cmocka_unit_test(what_the_data_plane_puts_off_is_not_ripe),
		cmocka_unit_test(an_old_table_stays_while_what_is_not_remembered_lives_in_it),
		cmocka_unit_test(down_is_a_drain_with_a_short_deadline),
		cmocka_unit_test(a_false_alarm_leaves_no_trace),
		cmocka_unit_test(a_deadline_cuts_a_drain),
		cmocka_unit_test(the_disabled_and_the_removed_keep_nothing),
		cmocka_unit_test(pools_without_services_have_nothing_to_keep),
		cmocka_unit_test(the_last_backend_drains_without_a_successor),
		cmocka_unit_test(another_table_keeps_the_old_one_until_it_is_settled),
		cmocka_unit_test(the_old_table_stays_where_all_backends_drain),
		cmocka_unit_test(slots_that_move_outlive_the_absence_of_their_service),
		cmocka_unit_test(where_all_weights_are_nothing_old_flows_stay),
		cmocka_unit_test(no_pool_has_more_weighted_backends_than_slots),
		cmocka_unit_test(a_backend_leaves_one_of_its_two_pools),
		cmocka_unit_test(the_tables_demand_is_foretold),
		cmocka_unit_test(an_adopted_data_plane_goes_on_moving),
		cmocka_unit_test(hops_name_the_owner_the_base_and_who_might_know),
		cmocka_unit_test(the_dead_are_in_no_hops_but_who_answers_is_the_last),
		cmocka_unit_test(few_backends_make_few_hops),
		cmocka_unit_test(former_owners_are_named),
		cmocka_unit_test(owners_while_others_rested_are_named),
		cmocka_unit_test(former_owners_outlive_the_size_of_the_table),
		cmocka_unit_test(first_preferences_come_before_second_ones),
		cmocka_unit_test(former_owners_follow_from_the_history_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
