/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger against what the data plane holds: whether it knows it, and one that is made of it. */
#include "unit/models.h"

#include <errno.h>
#include "core/adoption/adoption.h"

static void give(struct ledger *ledger, const struct model *model)
{
	struct refusal refusal = {0};

	if (ledger_assign(ledger, model, HF_DEFAULT_COUNTERS, &refusal) != 0)
		fail_msg("%s", refusal.what);
}

/* Two pools; numbers are not in the order of names, and some were given before. */
static struct model *used_model(struct ledger *ledger)
{
	struct model *model = model_new(7);

	operate(&model, "pool.add", "{'name': 'gone'}");
	operate(&model, "backend.add", "{'pool': 'gone', 'name': 'x', 'address': '10.0.9.9'}");
	give(ledger, model);
	operate(&model, "pool.remove", "{'name': 'gone'}");
	operate(&model, "pool.add", "{'name': 'web'}");
	for (int i = 9; i > 0; i--)
		operate(&model, "backend.add", "{'pool': 'web', 'name': 'w%d', 'address': '10.0.0.%d'}", i,
			i);
	give(ledger, model);
	operate(&model, "pool.add", "{'name': 'db'}");
	for (int i = 1; i < 4; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'b%d', 'address': '10.0.1.%d'}", i, i);
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'pool': 'db'}");
	operate(&model, "service.add", "{'proto': 'udp', 'listen': '203.0.113.10:1000-1999', 'pool': 'db'}");
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:80', 'pool': 'web'}");
	give(ledger, model);
	return model;
}

static void same_numbers(const struct ledger *a, const struct ledger *b, const struct model *model)
{
	for (size_t i = 0; i < model->pool_count; i++) {
		const struct pool *pool = &model->pools[i];

		assert_int_equal(ledger_pool(a, pool->name), ledger_pool(b, pool->name));
		for (size_t j = 0; j < pool->backend_count; j++) {
			uint16_t number = ledger_backend(a, pool->name, &pool->backends[j]);

			assert_int_equal(number, ledger_backend(b, pool->name, &pool->backends[j]));
			assert_int_equal(ledger_ordinal(a, number), ledger_ordinal(b, number));
		}
	}
	for (size_t i = 0; i < model->service_count; i++) {
		uint32_t counters[2], ordinals[2];

		assert_int_equal(ledger_service(a, &model->services[i], &counters[0], &ordinals[0]),
				 ledger_service(b, &model->services[i], &counters[1], &ordinals[1]));
		assert_int_equal(counters[0], counters[1]);
		assert_int_equal(ordinals[0], ordinals[1]);
	}
}

static void what_the_data_plane_holds_keeps_its_numbers(void **state)
{
	struct ledger *ledger = ledger_new(), *adopted;
	struct model *model = used_model(ledger);
	struct image *image = must_image(model, ledger, NULL, ""), *again;
	struct refusal refusal = {0};
	struct plan *plan;

	(void)state;
	assert_int_equal(ledger_adopt(image, model, &adopted), 0);
	assert_int_equal(ledger_knows(adopted, image, &refusal), 0);
	give(adopted, model);
	same_numbers(ledger, adopted, model);
	again = must_image(model, adopted, image, "");
	assert_int_equal(plan_make(image, again, &plan), 0);
	assert_true(plan_empty(plan));
	plan_free(plan);
	image_free(again);
	image_free(image);
	ledger_free(adopted);
	ledger_free(ledger);
	model_free(model);
}

static void numbers_of_what_a_file_does_not_name_are_not_given_away(void **state)
{
	struct ledger *ledger = ledger_new(), *adopted;
	struct model *model = used_model(ledger), *file = model_new(7);
	struct image *image = must_image(model, ledger, NULL, "");
	const struct pool *db = model_pool(model, "db");

	(void)state;
	/* The pool has another name, one backend another name, one another address, and there is a new
	 * service. */
	operate(&file, "pool.add", "{'name': 'base'}");
	operate(&file, "backend.add", "{'pool': 'base', 'name': 'b1', 'address': '10.0.1.1'}");
	operate(&file, "backend.add", "{'pool': 'base', 'name': 'other', 'address': '10.0.1.2'}");
	operate(&file, "backend.add", "{'pool': 'base', 'name': 'b3', 'address': '10.0.1.33'}");
	operate(&file, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'pool': 'base'}");
	operate(&file, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.11:5432', 'pool': 'base'}");
	assert_int_equal(ledger_adopt(image, file, &adopted), 0);
	give(adopted, file);
	assert_int_equal(ledger_pool(adopted, "base"), ledger_pool(ledger, "db"));
	for (size_t i = 0; i < 3; i++) {
		const struct backend *backend = &model_pool(file, "base")->backends[i];
		uint16_t number = ledger_backend(adopted, "base", backend);
		struct address address;

		if (ledger_backend_name(ledger, number, NULL, NULL, &address))
			assert_int_equal(address_compare(&address, &backend->address), 0);
	}
	assert_int_equal(ledger_backend(adopted, "base", pool_backend(model_pool(file, "base"), "other")),
			 ledger_backend(ledger, "db", pool_backend(db, "b2")));
	assert_int_equal(ledger_service(adopted, &file->services[0], NULL, NULL),
			 ledger_service(ledger, &file->services[0], NULL, NULL));
	for (size_t i = 0; i < model->service_count; i++)
		assert_int_not_equal(ledger_service(adopted, &file->services[1], NULL, NULL),
				     ledger_service(ledger, &model->services[i], NULL, NULL));
	ledger_free(adopted);
	ledger_free(ledger);
	image_free(image);
	model_free(model);
	model_free(file);
}

static void a_ledger_that_gave_other_numbers_is_told(void **state)
{
	struct ledger *ledger = ledger_new(), *other = ledger_new();
	struct model *model = used_model(ledger);
	struct image *image = must_image(model, ledger, NULL, "");
	struct refusal refusal = {0};

	(void)state;
	assert_int_equal(ledger_knows(ledger, image, &refusal), 0);
	assert_int_equal(ledger_knows(other, image, &refusal), -ENOTRECOVERABLE);
	assert_true(refusal.what[0]);
	give(other, model);
	assert_int_equal(ledger_knows(other, image, &refusal), -ENOTRECOVERABLE);
	ledger_free(ledger);
	ledger_free(other);
	image_free(image);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_data_plane_holds_keeps_its_numbers),
		cmocka_unit_test(numbers_of_what_a_file_does_not_name_are_not_given_away),
		cmocka_unit_test(a_ledger_that_gave_other_numbers_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
