// SPDX-License-Identifier: Apache-2.0
/* Slots that move, and when they settle. */
#include <errno.h>

#include "unit/image/instance.h"

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
	count_slots(instance->image, drained, &owned, &based);
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
	count_slots(instance->image, drained, &owned, &based);
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

/* As many as there are slots have one each; one more is refused, unless it weighs nothing. */
static void no_pool_has_more_weighted_backends_than_slots(void **state)
{
	struct instance *instance = begin(250, NULL);
	uint32_t owned, based;

	(void)state;
	operate(&instance->model, "backend.add", "{'pool': 'db', 'name': 'last', 'address': '10.0.1.1'}");
	load(instance, LATER);
	for (size_t i = 0; i < instance->image->backend_count; i++) {
		count_slots(instance->image, instance->image->backends[i].number, &owned, &based);
		assert_int_equal(owned, 1);
	}
	refused(&instance->model, -EINVAL, "backend.add",
		"{'pool': 'db', 'name': 'more', 'address': '10.0.1.2'}",
		"252 backends with weight do not fit into 251 slots", "pool db",
		"a greater table_size, a hundred times the backends or more");
	operate(&instance->model, "backend.add",
		"{'pool': 'db', 'name': 'more', 'address': '10.0.1.2', 'weight': 0}");
	load(instance, LATER + 1);
	count_slots(instance->image, number_of(instance, "more"), &owned, &based);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_moves_from_where_it_was_settled),
		cmocka_unit_test(a_drain_moves_and_settles),
		cmocka_unit_test(nothing_settles_by_a_count_that_began_before_it_was_ripe),
		cmocka_unit_test(nothing_settles_while_its_owner_changes),
		cmocka_unit_test(a_ripe_slot_that_moves_again_has_its_owner_as_base),
		cmocka_unit_test(what_the_data_plane_puts_off_is_not_ripe),
		cmocka_unit_test(a_false_alarm_leaves_no_trace),
		cmocka_unit_test(the_last_backend_drains_without_a_successor),
		cmocka_unit_test(slots_that_move_outlive_the_absence_of_their_service),
		cmocka_unit_test(where_all_weights_are_nothing_old_flows_stay),
		cmocka_unit_test(pools_without_services_have_nothing_to_keep),
		cmocka_unit_test(no_pool_has_more_weighted_backends_than_slots),
		cmocka_unit_test(a_backend_leaves_one_of_its_two_pools),
		cmocka_unit_test(an_adopted_data_plane_goes_on_moving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
