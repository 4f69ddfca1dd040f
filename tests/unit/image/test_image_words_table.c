// SPDX-License-Identifier: Apache-2.0
/* A pool that gets another table keeps the old one until its flows are over. */
#include "unit/image/instance.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_table_stays_while_what_is_not_remembered_lives_in_it),
		cmocka_unit_test(another_table_keeps_the_old_one_until_it_is_settled),
		cmocka_unit_test(the_old_table_stays_where_all_backends_drain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
