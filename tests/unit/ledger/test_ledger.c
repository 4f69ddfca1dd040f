// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "core/model/model_edit.h"
#include "unit/ledger/numbers.h"

static void numbers_outlive_their_backends(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	uint16_t first, second;
	const char *name;

	(void)state;
	must_assign(ledger, model);
	first = number_of(ledger, model, "db2");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db9', 'address': '10.0.0.9'}");
	must_assign(ledger, model);
	assert_int_not_equal(number_of(ledger, model, "db9"), first);
	assert_true(ledger_backend_name(ledger, first, NULL, &name, NULL));
	assert_string_equal(name, "db2");
	/* The same name at the same address is the same backend, and its flows may still be about. */
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db2', 'address': '10.0.0.2'}");
	must_assign(ledger, model);
	assert_int_equal(number_of(ledger, model, "db2"), first);
	/* At another address it is another one. */
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db2', 'address': '10.0.1.2'}");
	must_assign(ledger, model);
	second = number_of(ledger, model, "db2");
	assert_int_not_equal(second, first);
	release(ledger, first); /* it is leaving: stays */
	assert_true(ledger_backend_name(ledger, first, NULL, &name, NULL));
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2@10.0.0.2', 'now': true}");
	must_assign(ledger, model);
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
		must_assign(ledger, model);
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
	assert_int_equal(model_insert(model, &schema_pool, &added), 0);
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
	must_assign(ledger, before);
	assert_int_equal(ledger_assign(ledger, after, HF_DEFAULT_COUNTERS, &refusal), -ENOSPC);
	model_free(before);
	before = model_new(1);
	must_assign(ledger, before);
	ledger_release_backends(ledger, all_are_free, &asked);
	assert_int_equal(asked, LEFT);
	must_assign(ledger, after);
	for (size_t i = 0; i < after->pool_count; i++)
		for (size_t j = 0; j < IN_EACH; j++)
			assert_int_not_equal(
				ledger_backend(ledger, after->pools[i].name, &after->pools[i].backends[j]),
				0);
	ledger_free(ledger);
	model_free(before);
	model_free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_outlive_their_backends),
		cmocka_unit_test(no_number_is_given_while_it_is_retired),
		cmocka_unit_test(six_thousand_that_left_make_room_for_sixty_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
