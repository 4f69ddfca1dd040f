// SPDX-License-Identifier: Apache-2.0
#include "unit/image/instance.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tables_demand_is_foretold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
