/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

#include "core/model/model_edit.h"

static void assign(struct ledger *ledger, const struct model *model)
{
	struct refusal refusal = {0};

	if (ledger_assign(ledger, model, HF_DEFAULT_COUNTERS, &refusal) != 0)
		fail_msg("%s", refusal.what);
}

static uint16_t number_of(const struct ledger *ledger, const struct model *model, const char *name)
{
	return ledger_backend(ledger, "db", pool_backend(model_pool(model, "db"), name));
}

static bool is_this(uint16_t backend, void *context)
{
	return backend == *(const uint16_t *)context;
}

static void release(struct ledger *ledger, uint16_t backend)
{
	ledger_release_backends(ledger, is_this, &backend);
}

static void numbers_outlive_their_backends(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	uint16_t first, second;
	const char *name;

	(void)state;
	assign(ledger, model);
	first = number_of(ledger, model, "db2");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db9', 'address': '10.0.0.9'}");
	assign(ledger, model);
	assert_int_not_equal(number_of(ledger, model, "db9"), first);
	assert_true(ledger_backend_name(ledger, first, NULL, &name, NULL));
	assert_string_equal(name, "db2");
	/* The same name at the same address is the same backend, and its flows may still be about. */
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db2', 'address': '10.0.0.2'}");
	assign(ledger, model);
	assert_int_equal(number_of(ledger, model, "db2"), first);
	/* At another address it is another one. */
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db2', 'address': '10.0.1.2'}");
	assign(ledger, model);
	second = number_of(ledger, model, "db2");
	assert_int_not_equal(second, first);
	release(ledger, first); /* it is leaving: stays */
	assert_true(ledger_backend_name(ledger, first, NULL, &name, NULL));
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2@10.0.0.2', 'now': true}");
	assign(ledger, model);
	release(ledger, second); /* in use: stays */
	assert_int_equal(number_of(ledger, model, "db2"), second);
	release(ledger, first);
	assert_false(ledger_backend_name(ledger, first, NULL, NULL, NULL));
	ledger_free(ledger);
	model_free(model);
}

static int count_visit(uint16_t backend, void *context)
{
	bool *seen = context;

	seen[backend] = true;
	return 0;
}

/* Random joining, leaving and releasing, against plain sets. */
static void no_number_is_given_while_it_is_retired(void **state)
{
	struct model *model = small_model(0);
	struct ledger *ledger = ledger_new();
	static bool retired[HF_MAX_BACKENDS];
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		int which = (int)(draw(&random) % 40) + 1;
		char name[16];
		bool there;
		uint16_t number;

		snprintf(name, sizeof name, "b%d", which);
		there = pool_backend(model_pool(model, "db"), name);
		if (there)
			operate(&model, "backend.remove", "{'pool': 'db', 'name': '%s', 'now': true}", name);
		else /* at an address that is new every time */
			operate(&model, "backend.add",
				"{'pool': 'db', 'name': '%s', 'address': '10.1.%d.%d'}", name, round / 250,
				round % 250 + 1);
		assign(ledger, model);
		if (!there) {
			number = number_of(ledger, model, name);
			assert_int_not_equal(number, 0);
			assert_false(retired[number]);
		}
		memset(retired, 0, sizeof retired);
		ledger_retired(ledger, count_visit, retired);
		for (int i = 0; i < HF_MAX_BACKENDS; i++) {
			if (retired[i] && draw(&random) % 50 == 0) {
				release(ledger, (uint16_t)i);
				retired[i] = false;
			}
		}
	}
	ledger_free(ledger);
	model_free(model);
}

enum { LEFT = 6000, POOLS_FULL = 60, IN_EACH = 1000 };

static bool all_are_free(uint16_t backend, void *context)
{
	size_t *asked = context;

	(void)backend;
	++*asked;
	return true;
}

/* Puts so many backends of an address each into a pool, which is faster than operations. */
static void fill_pool(struct model *model, const char *name, int pool, int count)
{
	struct pool added = {0};

	snprintf(added.name, sizeof added.name, "%s%d", name, pool);
	added.backends = calloc((size_t)count, sizeof *added.backends);
	added.backend_count = (size_t)count;
	for (int i = 0; i < count; i++) {
		struct backend *backend = &added.backends[i];

		snprintf(backend->name, sizeof backend->name, "b%04d", i);
		backend->address = (struct address){
			.family = 4,
			.bytes = {10, (uint8_t)pool, (uint8_t)(i / 250), (uint8_t)(i % 250 + 1)}};
	}
	assert_int_equal(model_insert_pool(model, &added), 0);
}

/* What was retired counts against the limit until it is released, and then all of it is free at once. */
static void six_thousand_that_left_make_room_for_sixty_thousand(void **state)
{
	struct model *before = model_new(1), *after = model_new(1);
	struct ledger *ledger = ledger_new();
	struct refusal refusal = {0};
	size_t asked = 0;

	(void)state;
	for (int i = 0; i < LEFT / IN_EACH; i++)
		fill_pool(before, "old", i, IN_EACH);
	for (int i = 0; i < POOLS_FULL; i++)
		fill_pool(after, "new", i, IN_EACH);
	assign(ledger, before);
	assert_int_equal(ledger_assign(ledger, after, HF_DEFAULT_COUNTERS, &refusal), -ENOSPC);
	model_free(before);
	before = model_new(1);
	assign(ledger, before);
	ledger_release_backends(ledger, all_are_free, &asked);
	assert_int_equal(asked, LEFT);
	assign(ledger, after);
	for (size_t i = 0; i < after->pool_count; i++)
		for (size_t j = 0; j < IN_EACH; j++)
			assert_int_not_equal(
				ledger_backend(ledger, after->pools[i].name, &after->pools[i].backends[j]),
				0);
	ledger_free(ledger);
	model_free(before);
	model_free(after);
}

static void counter_ranges_hold_every_ordinal_and_never_meet(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	static uint8_t used[HF_DEFAULT_COUNTERS];
	uint32_t first, count, before;

	(void)state;
	for (int i = 1; i <= 20; i++)
		operate(&model, "service.add", "{'proto': 'udp', 'listen': '203.0.113.%d:53', 'pool': 'db'}",
			i);
	assign(ledger, model);
	ledger_service(ledger, &model->services[0], &before, &count);
	for (int i = 4; i <= 60; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'db%d', 'address': '10.0.0.%d'}", i,
			i);
	assign(ledger, model);
	for (size_t i = 0; i < model->service_count; i++) {
		assert_int_not_equal(ledger_service(ledger, &model->services[i], &first, &count), 0);
		assert_true(first > 0 && first + count <= HF_DEFAULT_COUNTERS);
		for (size_t j = 0; j < model->pools[0].backend_count; j++)
			assert_true(ledger_ordinal(ledger, ledger_backend(ledger, "db",
									  &model->pools[0].backends[j])) <
				    count);
		for (uint32_t j = first; j < first + count; j++)
			assert_int_equal(used[j]++, 0);
	}
	/* The outgrown range may still be written to: nobody has it before it is released. */
	assert_int_equal(used[before], 0);
	ledger_free(ledger);
	model_free(model);
}

static void ordinals_are_apart_within_a_pool(void **state)
{
	struct model *model = small_model(60);
	struct ledger *ledger = ledger_new();
	bool used[64] = {0};

	(void)state;
	assign(ledger, model);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db7', 'now': true}");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'x', 'address': '10.0.0.77'}");
	assign(ledger, model);
	for (size_t i = 0; i < model->pools[0].backend_count; i++) {
		uint16_t ordinal =
			ledger_ordinal(ledger, ledger_backend(ledger, "db", &model->pools[0].backends[i]));

		assert_true(ordinal < 64);
		assert_false(used[ordinal]);
		used[ordinal] = true;
	}
	ledger_free(ledger);
	model_free(model);
}

static void another_pool_counts_from_nothing(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	uint32_t before, after;

	(void)state;
	operate(&model, "pool.add", "{'name': 'web'}");
	assign(ledger, model);
	ledger_service(ledger, &model->services[0], &before, NULL);
	operate(&model, "service.set", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'pool': 'web'}");
	assign(ledger, model);
	ledger_service(ledger, &model->services[0], &after, NULL);
	assert_int_not_equal(before, after);
	ledger_free(ledger);
	model_free(model);
}

static void too_few_counters_are_refused_and_nothing_changes(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	struct refusal refusal = {0};
	json_t *before = ledger_to_json(ledger), *after;

	(void)state;
	assert_int_equal(ledger_assign(ledger, model, 3, &refusal), -ENOSPC);
	assert_string_equal(
		refusal.what,
		"the 2 counters are not enough: each service takes one for each backend of its pool");
	after = ledger_to_json(ledger);
	assert_true(json_equal(before, after));
	/* Where there is no room to grow, what is needed is enough. */
	assert_int_equal(ledger_assign(ledger, model, 4, &refusal), 0);
	json_decref(before);
	json_decref(after);
	ledger_free(ledger);
	model_free(model);
}

static void released_ranges_are_given_again_when_the_end_is_reached(void **state)
{
	struct model *model = small_model(8);
	struct ledger *ledger = ledger_new();
	struct refusal refusal = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		operate(&model, "service.remove", "{'proto': 'tcp', 'listen': '203.0.113.10:%d'}", 5432 + i);
		operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:%d', 'pool': 'db'}",
			5433 + i);
		if (ledger_assign(ledger, model, 32, &refusal) != 0)
			fail_msg("round %d: %s", i, refusal.what);
		ledger_release_unused(ledger);
	}
	ledger_free(ledger);
	model_free(model);
}

static void json_brings_back_the_ledger(void **state)
{
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new(), *back;
	json_t *json, *again;

	(void)state;
	operate(&model, "service.add", "{'proto': 'udp', 'listen': '[2001:db8::1]:any', 'pool': 'db'}");
	assign(ledger, model);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	for (int i = 6; i < 20; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'db%d', 'address': '10.0.0.%d'}", i,
			i);
	assign(ledger, model);
	json = ledger_to_json(ledger);
	assert_int_equal(ledger_from_json(json, &back), 0);
	again = ledger_to_json(back);
	assert_true(json_equal(json, again));
	assert_int_equal(number_of(back, model, "db7"), number_of(ledger, model, "db7"));
	json_object_set_new(json, "backends", json_pack("[[sssiib]]", "db", "x", "10.0.0.1", 70000, 0, 0));
	ledger_free(back);
	assert_int_equal(ledger_from_json(json, &back), -EINVAL);
	json_decref(json);
	json_decref(again);
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_outlive_their_backends),
		cmocka_unit_test(no_number_is_given_while_it_is_retired),
		cmocka_unit_test(six_thousand_that_left_make_room_for_sixty_thousand),
		cmocka_unit_test(counter_ranges_hold_every_ordinal_and_never_meet),
		cmocka_unit_test(ordinals_are_apart_within_a_pool),
		cmocka_unit_test(another_pool_counts_from_nothing),
		cmocka_unit_test(too_few_counters_are_refused_and_nothing_changes),
		cmocka_unit_test(released_ranges_are_given_again_when_the_end_is_reached),
		cmocka_unit_test(json_brings_back_the_ledger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
