/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

static struct plan *must_plan(const struct image *before, const struct image *after)
{
	struct plan *plan;

	assert_int_equal(plan_make(before, after, &plan), 0);
	return plan;
}

static void equal_images_make_an_empty_plan(void **state)
{
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new();
	struct image *a = must_image(model, ledger, NULL, "db2 "),
		     *b = must_image(model, ledger, NULL, "db2 ");
	struct plan *plan = must_plan(a, b);

	(void)state;
	assert_true(plan_empty(plan));
	plan_free(plan);
	image_free(a);
	image_free(b);
	ledger_free(ledger);
	model_free(model);
}

static void the_first_plan_adds_everything(void **state)
{
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "");
	struct plan *plan = must_plan(NULL, image);

	(void)state;
	assert_int_equal(plan->pool_count, 1);
	assert_int_equal(plan->pools[0].change, PLAN_ADD);
	assert_int_equal(plan->slots_needed, 251);
	assert_int_equal(plan->backend_count, 5);
	assert_true(plan->services);
	assert_ptr_equal(plan->directory, &image->directory);
	plan_free(plan);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

/* Moved and needless slots, counted by names. */
static void naive_count(const struct image *before, const struct image *after, const struct ledger *ledger,
			const char *changed, uint32_t *ret_moved, uint32_t *ret_needless)
{
	const struct pool_image *a = image_pool(before, "db"), *b = image_pool(after, "db");

	*ret_moved = *ret_needless = 0;
	for (uint32_t slot = 0; slot < b->table.size; slot++) {
		const char *old = "", *new = "";

		ledger_backend_name(ledger, (uint16_t)a->words[slot], NULL, &old, NULL);
		ledger_backend_name(ledger, (uint16_t)b->words[slot], NULL, &new, NULL);
		if (strcmp(old, new) == 0)
			continue;
		++*ret_moved;
		*ret_needless += strcmp(old, changed) != 0 && strcmp(new, changed) != 0;
	}
}

static void check_change(const char *word, const char *arguments, const char *changed, bool always_needful)
{
	struct model *model = model_new(5);
	struct ledger *ledger = ledger_new();
	struct image *before, *after;
	struct plan *plan;
	uint32_t moved, needless;

	operate(&model, "pool.add", "{'name': 'db', 'table_size': 16381}");
	for (int i = 1; i <= 30; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'db%d', 'address': '10.0.0.%d'}", i,
			i);
	before = must_image(model, ledger, NULL, "");
	operate(&model, word, "%s", arguments);
	after = must_image(model, ledger, before, "");
	plan = must_plan(before, after);
	naive_count(before, after, ledger, changed, &moved, &needless);
	assert_int_equal(plan->pool_count, 1);
	assert_int_equal(plan->pools[0].change, PLAN_CHANGE);
	assert_false(plan->pools[0].rebuilt);
	assert_true(moved > 0);
	assert_int_equal(plan->pools[0].moved, moved);
	assert_int_equal(plan->pools[0].needless, needless);
	if (always_needful)
		assert_int_equal(needless, 0);
	plan_free(plan);
	image_free(before);
	image_free(after);
	ledger_free(ledger);
	model_free(model);
}

static void moved_slots_are_counted_as_a_reader_would(void **state)
{
	(void)state;
	check_change("backend.add", "{'pool': 'db', 'name': 'new', 'address': '10.0.1.1'}", "new", false);
	check_change("backend.remove", "{'pool': 'db', 'name': 'db7', 'now': true}", "db7", false);
	check_change("backend.set", "{'pool': 'db', 'name': 'db7', 'weight': 200}", "db7", false);
	check_change("backend.drain", "{'pool': 'db', 'name': 'db7'}", "db7", true);
}

static void slots_that_nobody_had_are_filled_not_moved(void **state)
{
	struct refusal refusal = {.what = ""};
	struct model *model = model_new(5);
	struct ledger *ledger = ledger_new();
	struct image *empty, *filled;
	struct plan *plan;

	(void)state;
	operate(&model, "pool.add", "{'name': 'db', 'table_size': 251}");
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:80', 'pool': 'db'}");
	empty = must_image(model, ledger, NULL, "");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db1', 'address': '10.0.0.1'}");
	filled = must_image(model, ledger, empty, "");
	plan = must_plan(empty, filled);
	assert_int_equal(plan->pool_count, 1);
	assert_int_equal(plan->pools[0].change, PLAN_CHANGE);
	assert_int_equal(plan->pools[0].moved, 0);
	assert_int_equal(plan_guard(plan, 1, &refusal), 0);
	plan_free(plan);
	plan = must_plan(filled, empty);
	assert_int_equal(plan->pools[0].moved, 251);
	plan_free(plan);
	image_free(empty);
	image_free(filled);
	ledger_free(ledger);
	model_free(model);
}

static void a_changed_hash_moves_every_flow(void **state)
{
	static const char *const changes[] = {"'table_size': 257", "'seed': '00000000000000ff'",
					      "'hash': 'source'"};

	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		struct model *model = small_model(5);
		struct ledger *ledger = ledger_new();
		struct image *before = must_image(model, ledger, NULL, ""), *after;
		struct plan *plan;

		operate(&model, "pool.set", "{'name': 'db', %s}", changes[i]);
		after = must_image(model, ledger, before, "");
		plan = must_plan(before, after);
		assert_int_equal(plan->pool_count, 1);
		assert_true(plan->pools[0].rebuilt);
		assert_int_equal(plan->pools[0].moved, plan->pools[0].slots);
		plan_free(plan);
		image_free(before);
		image_free(after);
		ledger_free(ledger);
		model_free(model);
	}
}

static void what_went_is_removed(void **state)
{
	struct model *model = small_model(2);
	struct ledger *ledger = ledger_new();
	struct image *before, *after;
	struct plan *plan;
	json_t *json;

	(void)state;
	operate(&model, "pool.add", "{'name': 'web', 'table_size': 251}");
	operate(&model, "backend.add", "{'pool': 'web', 'name': 'w1', 'address': '10.0.1.1'}");
	before = must_image(model, ledger, NULL, "");
	operate(&model, "pool.remove", "{'name': 'web'}");
	after = must_image(model, ledger, before, "");
	plan = must_plan(before, after);
	assert_int_equal(plan->pool_count, 1);
	assert_int_equal(plan->pools[0].change, PLAN_REMOVE);
	assert_null(plan->pools[0].image);
	assert_int_equal(plan->backend_count, 1);
	assert_int_equal(plan->backends[0].change, PLAN_REMOVE);
	assert_false(plan->services);
	json = plan_to_json(plan);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(json_object_get(json, "pools"), 0), "change")),
			    "remove");
	json_decref(json);
	plan_free(plan);
	image_free(before);
	image_free(after);
	ledger_free(ledger);
	model_free(model);
}

/* As the data plane gives it back: numbers, tables, words and entries, with next hops filled in. */
static struct image *read_back(const struct image *image)
{
	struct image *copy = calloc(1, sizeof *copy);
	size_t bytes = sizeof(struct hf_service) << image->directory.log2;

	copy->directory = image->directory;
	copy->directory.entries = malloc(bytes);
	memcpy(copy->directory.entries, image->directory.entries, bytes);
	copy->pool_count = image->pool_count;
	copy->pools = calloc(image->pool_count, sizeof *copy->pools);
	for (size_t i = 0; i < image->pool_count; i++) {
		const struct pool_image *from = &image->pools[i];
		uint64_t *words = malloc(from->table.size * sizeof *words);

		memcpy(words, from->words, from->table.size * sizeof *words);
		copy->pools[i] =
			(struct pool_image){.number = from->number, .table = from->table, .words = words};
	}
	copy->backend_count = image->backend_count;
	copy->backends = calloc(image->backend_count, sizeof *copy->backends);
	for (size_t i = 0; i < image->backend_count; i++) {
		copy->backends[i] = image->backends[i];
		copy->backends[i].source_from_route = false;
		copy->backends[i].entry.next_hop = 0x0001020304050607;
		copy->backends[i].entry.mtu = 1500;
		copy->backends[i].entry.src[0] = 0x0100000a;
		copy->backends[i].entry.csum += 0x010a;
	}
	return copy;
}

static void what_is_loaded_and_right_is_left_alone(void **state)
{
	struct model *model = small_model(4);
	struct ledger *ledger = ledger_new();
	struct image *image, *loaded, *again;
	struct plan *plan;

	(void)state;
	operate(&model, "pool.add", "{'name': 'a', 'table_size': 251}");
	image = must_image(model, ledger, NULL, "db2 ");
	loaded = read_back(image);
	again = must_image(model, ledger, loaded, "db2 ");
	plan = must_plan(loaded, again);
	assert_true(plan_empty(plan));
	plan_free(plan);
	image_free(again);
	again = must_image(model, ledger, loaded, "");
	plan = must_plan(loaded, again);
	assert_int_equal(plan->pool_count, 1);
	assert_string_equal(plan->pools[0].name, "db");
	assert_int_equal(plan->backend_count, 1);
	assert_int_equal(plan->backends[0].change, PLAN_CHANGE);
	plan_free(plan);
	image_free(image);
	image_free(loaded);
	image_free(again);
	ledger_free(ledger);
	model_free(model);
}

static void the_move_limit_may_be_reached_and_not_passed(void **state)
{
	struct plan_pool pool = {.change = PLAN_CHANGE, .name = "db", .slots = 100, .moved = 25};
	const struct plan plan = {.pools = &pool, .pool_count = 1};

	(void)state;
	assert_int_equal(plan_guard(&plan, 25, NULL), 0);
	pool.moved = 26;
	assert_int_equal(plan_guard(&plan, 25, NULL), -EPERM);
	pool.change = PLAN_ADD;
	assert_int_equal(plan_guard(&plan, 25, NULL), 0);
}

/* The same slots and entries: only what hashes them differs. */
static void another_hash_alone_is_a_change(void **state)
{
	uint64_t words[1] = {0};
	struct hf_service entries[1] = {0};
	struct pool_image old = {.number = 1,
				 .words = words,
				 .table = {.size = 1, .old_size = 1, .old_seed = 7}},
			  new = old;
	struct image before = {.pools = &old, .pool_count = 1, .directory = {.entries = entries, .seed = 7}},
		     after = before;
	struct plan *plan;

	(void)state;
	after.pools = &new;
	for (int differs = 0; differs <= 1; differs++) {
		new.table.old_seed = after.directory.seed = 7 + differs;
		assert_int_equal(plan_make(&before, &after, &plan), 0);
		assert_int_equal(plan->pool_count, differs);
		assert_int_equal(plan->services, differs);
		plan_free(plan);
	}
}

static void a_plan_that_moves_too_much_is_held_up(void **state)
{
	struct model *model = small_model(4);
	struct ledger *ledger = ledger_new();
	struct image *before = must_image(model, ledger, NULL, ""), *after;
	struct refusal refusal = {0};
	struct plan *plan;
	double share;

	(void)state;
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1', 'now': true}");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	after = must_image(model, ledger, before, "");
	assert_int_equal(plan_make(before, after, &plan), 0);
	share = 100 * plan_pool_share(&plan->pools[0]);
	assert_true(share > 45);
	assert_int_equal(plan_guard(plan, (uint32_t)share + 1, &refusal), 0);
	assert_int_equal(plan_guard(plan, (uint32_t)share - 1, &refusal), -EPERM);
	assert_string_equal(refusal.where, "pool db");
	plan_free(plan);
	/* A new pool moves nobody. */
	assert_int_equal(plan_make(NULL, after, &plan), 0);
	assert_int_equal(plan_guard(plan, 0, &refusal), 0);
	plan_free(plan);
	image_free(before);
	image_free(after);
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_images_make_an_empty_plan),
		cmocka_unit_test(the_first_plan_adds_everything),
		cmocka_unit_test(moved_slots_are_counted_as_a_reader_would),
		cmocka_unit_test(slots_that_nobody_had_are_filled_not_moved),
		cmocka_unit_test(a_changed_hash_moves_every_flow),
		cmocka_unit_test(what_went_is_removed),
		cmocka_unit_test(what_is_loaded_and_right_is_left_alone),
		cmocka_unit_test(the_move_limit_may_be_reached_and_not_passed),
		cmocka_unit_test(another_hash_alone_is_a_change),
		cmocka_unit_test(a_plan_that_moves_too_much_is_held_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
