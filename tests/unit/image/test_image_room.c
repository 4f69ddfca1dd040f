/* SPDX-License-Identifier: Apache-2.0 */
/* Which images leave room for every change that comes after them. */
#include "unit/models.h"

#include <errno.h>

static struct ledger *ledger;

/* The image of a model, and whether it has room in limit slots after before. The model goes. */
static int check(struct model *model, const struct image *before, uint32_t limit, struct image **ret,
		 struct refusal *refusal)
{
	struct image *image = must_image(model, ledger, before, "");
	int error = image_check_room(before, image, limit, refusal);

	model_free(model);
	if (ret)
		*ret = image;
	else
		image_free(image);
	return error;
}

/* A pool of 251 slots, served, and one more of a size. */
static struct model *two_pools(int size)
{
	struct model *model = small_model(3);

	operate(&model, "pool.add", "{'name': 'web', 'table_size': %d}", size);
	return model;
}

static struct model *resized(int size)
{
	struct model *model = two_pools(1021);

	operate(&model, "pool.set", "{'name': 'db', 'table_size': %d}", size);
	return model;
}

static struct model *drained(void)
{
	struct model *model = two_pools(1021);

	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db2'}");
	return model;
}

static void a_pool_must_leave_room_for_a_second_largest_table(void **state)
{
	struct refusal refusal = {0};
	struct image *before;

	(void)state;
	ledger = ledger_new();
	assert_int_equal(check(small_model(3), &(struct image){0}, 1 << 20, &before, &refusal), 0);
	assert_int_equal(check(two_pools(1021), before, 256 + 1024 + 1024, NULL, &refusal), 0);
	assert_int_equal(check(two_pools(1021), before, 256 + 1024 + 1023, NULL, &refusal), -ENOSPC);
	assert_string_equal(refusal.what,
			    "no room for 1021 slots: with what each later change needs, all tables "
			    "would take 2304 of 2303");
	assert_string_equal(refusal.where, "pool web");
	assert_non_null(strstr(refusal.right, "--max-slots 2304"));
	image_free(before);
	ledger_free(ledger);
}

static void a_migration_needs_room_for_both_tables(void **state)
{
	struct refusal refusal = {0};
	struct image *before;

	(void)state;
	ledger = ledger_new();
	assert_int_equal(check(two_pools(1021), &(struct image){0}, 1 << 20, &before, &refusal), 0);
	assert_int_equal(check(resized(509), before, 256 + 512 + 1024 + 1024, NULL, &refusal), 0);
	assert_int_equal(check(resized(509), before, 256 + 512 + 1024 + 1023, NULL, &refusal), -ENOSPC);
	assert_string_equal(refusal.where, "pool db");
	image_free(before);
	ledger_free(ledger);
}

/* As an earlier version may have left it. */
static void an_instance_that_is_too_full_goes_on_and_gets_emptier(void **state)
{
	const uint32_t limit = 256 + 1024;
	struct refusal refusal = {0};
	struct image *before;

	(void)state;
	ledger = ledger_new();
	assert_int_equal(check(two_pools(1021), &(struct image){0}, 1 << 20, &before, &refusal), 0);
	assert_int_equal(check(two_pools(1021), before, limit, NULL, &refusal), 0);
	assert_int_equal(check(drained(), before, limit, NULL, &refusal), 0);
	assert_int_equal(check(two_pools(509), before, limit, NULL, &refusal), 0);
	assert_int_equal(check(resized(509), before, limit, NULL, &refusal), -ENOSPC);
	image_free(before);
	ledger_free(ledger);
}

/* What an instance has room for is its own affair: see --max-slots. */
static void a_model_may_have_more_slots_than_an_instance_has_by_default(void **state)
{
	struct model *model = small_model(1);

	(void)state;
	for (int i = 0; i < 17; i++)
		operate(&model, "pool.add", "{'name': 'p%d', 'table_size': 1048573}", i);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_must_leave_room_for_a_second_largest_table),
		cmocka_unit_test(a_migration_needs_room_for_both_tables),
		cmocka_unit_test(an_instance_that_is_too_full_goes_on_and_gets_emptier),
		cmocka_unit_test(a_model_may_have_more_slots_than_an_instance_has_by_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
