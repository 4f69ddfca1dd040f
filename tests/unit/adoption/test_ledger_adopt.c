// SPDX-License-Identifier: Apache-2.0
#include "unit/adoption/used_model.h"

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
	must_assign(adopted, model);
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
	must_assign(adopted, file);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_data_plane_holds_keeps_its_numbers),
		cmocka_unit_test(numbers_of_what_a_file_does_not_name_are_not_given_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
