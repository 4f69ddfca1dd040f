/* SPDX-License-Identifier: Apache-2.0 */
/* Placements of pools, as they are and as they were: migrations keep their base, histories their owners. */
#include "unit/model/schemes.h"

#include <errno.h>

#include "core/model/history.h"
#include "core/image/image_pool.h"
#include "core/image/moves.h"
#include "core/model/pool_placement.h"

static void operate_at(struct model **model, int64_t now, const char *word, const char *arguments)
{
	struct refusal refusal = {0};
	struct model *after;
	json_t *json = json_loads(arguments, 0, NULL);

	assert_non_null(json);
	if (operation_apply(*model, word, json, now, &after, &refusal) != 0)
		fail_msg("%s %s: %s", word, arguments, refusal.what);
	json_decref(json);
	model_free(*model);
	*model = after;
}

/* Step by step or at once, sets of other schemes and options name the same former owners. */
static void former_owners_of_other_schemes_follow_from_the_history(void **state)
{
	static const struct {
		const char *word, *arguments;
	} steps[] = {
		{"pool.set", "{\"name\": \"db\", \"scheme\": \"ring\"}"},
		{"pool.set", "{\"name\": \"db\", \"virtual_nodes\": 9}"},
		{"backend.set", "{\"pool\": \"db\", \"name\": \"db2\", \"weight\": 300}"},
		{"pool.set", "{\"name\": \"db\", \"scheme\": \"slots\"}"},
		{"pool.slots.move", "{\"name\": \"db\", \"slots\": \"0-99\", \"backend\": \"db4\"}"},
		{"pool.slots.move", "{\"name\": \"db\", \"slots\": \"50-120\", \"backend\": \"db1\"}"},
		{"backend.remove", "{\"pool\": \"db\", \"name\": \"db3\", \"now\": true}"},
		{"pool.set", "{\"name\": \"db\", \"scheme\": \"stable\", \"tolerance\": 2}"},
		{"pool.set", "{\"name\": \"db\", \"tolerance\": 0}"},
		{"pool.set", "{\"name\": \"db\", \"virtual_nodes\": 9, \"scheme\": \"ring\"}"},
	};
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new();
	struct image *grown;

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'encap': 'gue'}");
	grown = must_image(model, ledger, NULL, "");
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		struct image *next, *fresh;

		operate_at(&model, TEST_NOW + 1 + (int64_t)i, steps[i].word, steps[i].arguments);
		assert_int_equal(model->history_count, i + 1);
		next = must_image(model, ledger, grown, "");
		fresh = must_image(model, ledger, NULL, "");
		for (uint32_t at = 0; at < 251; at++)
			assert_memory_equal(shared_former_slot(next->pools[0].shared_former, at),
					    shared_former_slot(fresh->pools[0].shared_former, at),
					    FORMER_WIDTH * sizeof(uint16_t));
		image_free(fresh);
		image_free(grown);
		grown = next;
	}
	image_free(grown);
	ledger_free(ledger);
	model_free(model);
}

static void a_switch_of_scheme_moves_slots_that_keep_their_base(void **state)
{
	static const char *const schemes[] = {"stable", "rendezvous", "ring", "ketama",
					      "jump",   "modulo",     "slots"};

	(void)state;
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		struct model *model = small_model(4);
		struct ledger *ledger = ledger_new();
		struct image *before = must_image(model, ledger, NULL, ""), *after;
		struct plan *plan;

		operate(&model, "pool.set", "{'name': 'db', 'scheme': '%s'}", schemes[i]);
		after = must_image(model, ledger, before, "");
		assert_int_equal(plan_make(before, after, &plan), 0);
		assert_int_equal(plan->pool_count, 1);
		assert_false(plan->pools[0].rebuilt);
		assert_int_equal(plan->pools[0].moved, after->pools[0].moving);
		assert_true(plan->pools[0].moved > 100);
		for (uint32_t at = 0; at < 251; at++) {
			struct slot was = slot_read(before->pools[0].words[at], 0);
			struct slot slot = slot_read(after->pools[0].words[at], 0);

			assert_int_equal(slot.base, was.owner);
			assert_int_equal(slot.moving, slot.owner != was.owner);
		}
		plan_free(plan);
		image_free(before);
		image_free(after);
		ledger_free(ledger);
		model_free(model);
	}
}

/* What a previous placement lends gives the table that would be made from nothing. */
static void a_table_that_was_rebuilt_is_the_table_that_is_built(void **state)
{
	static const char *const changes[] = {"{'pool': 'db', 'name': 'db3', 'weight': 250}",
					      "{'pool': 'db', 'name': 'db7', 'weight': 0}",
					      "{'pool': 'db', 'name': 'db3', 'weight': 100}",
					      "{'pool': 'db', 'name': 'db7', 'zone': 'east'}"};

	(void)state;
	for (int tolerance = 0; tolerance <= 2; tolerance++) {
		struct model *model = small_model(20);
		struct ledger *ledger = ledger_new();
		struct image *image, *before;

		operate(&model, "pool.set",
			"{'name': 'db', 'scheme': 'stable', 'table_size': 4001, 'tolerance': %d}", tolerance);
		before = must_image(model, ledger, NULL, "");
		for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
			operate(&model, "backend.set", changes[i]);
			if (i == 1)
				operate(&model, "pool.set", "{'name': 'db', 'tolerance': %d}", 5 - tolerance);
			image = must_image(model, ledger, before, "");
			assert_true(image->pools[0].digest == table_digest(model));
			image_free(before);
			before = image;
		}
		image_free(before);
		ledger_free(ledger);
		model_free(model);
	}
}

static void warnings_are_given_of_options_too(void **state)
{
	struct model *model = model_of("ring", 3);
	struct placement *before, *after;
	char text[256];

	(void)state;
	assert_int_equal(pool_placement(model, model_pool(model, "db"), NULL, &before, NULL), 0);
	assert_false(placement_move_warning(before, before, text, sizeof text));
	operate(&model, "pool.set", "{'name': 'db', 'virtual_nodes': 50}");
	assert_int_equal(pool_placement(model, model_pool(model, "db"), NULL, &after, NULL), 0);
	assert_true(placement_move_warning(before, after, text, sizeof text));
	assert_non_null(strstr(text, "option"));
	placement_free(before);
	placement_free(after);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(former_owners_of_other_schemes_follow_from_the_history),
		cmocka_unit_test(a_switch_of_scheme_moves_slots_that_keep_their_base),
		cmocka_unit_test(a_table_that_was_rebuilt_is_the_table_that_is_built),
		cmocka_unit_test(warnings_are_given_of_options_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
