/* SPDX-License-Identifier: Apache-2.0 */
/* The assignment of scheme slots. */
#include "unit/model/schemes.h"

#include <errno.h>

#include "core/model/assignment.h"

static const char *ranges_of(const struct model *model)
{
	const char *ranges = model_pool(model, "db")->options.ranges;

	return ranges ? ranges : SLOT_RANGES_EVEN;
}

static void a_new_pool_is_divided_evenly_until_its_first_service(void **state)
{
	struct model *model = model_new(1);

	(void)state;
	operate(&model, "pool.add", "{'name': 'db', 'table_size': 300, 'scheme': 'slots'}");
	for (int i = 1; i <= 3; i++) {
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'db%d', 'address': '10.0.0.%d'}", i,
			i);
		assert_string_equal(ranges_of(model), "even");
	}
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:80', 'pool': 'db'}");
	assert_string_equal(ranges_of(model), "db1=0-99,db2=100-199,db3=200-299");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db0', 'address': '10.0.0.9'}");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 900}");
	assert_string_equal(ranges_of(model), "db1=0-99,db2=100-199,db3=200-299");
	operate(&model, "pool.set", "{'name': 'db', 'ranges': 'even'}");
	assert_string_equal(ranges_of(model), "db0=0-24,db1=25-249,db2=250-274,db3=275-299");
	operate(&model, "pool.set", "{'name': 'db', 'table_size': 1200}");
	assert_string_equal(ranges_of(model), "db0=0-99,db1=100-999,db2=1000-1099,db3=1100-1199");
	model_free(model);
}

static void slots_move_where_they_are_told(void **state)
{
	struct model *model = model_of("slots", 2);

	(void)state;
	assert_string_equal(ranges_of(model), "db1=0-124,db2=125-250");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db3', 'address': '10.0.0.3'}");
	operate(&model, "pool.slots.move", "{'name': 'db', 'slots': '100-150', 'backend': 'db3'}");
	assert_string_equal(ranges_of(model), "db1=0-99,db3=100-150,db2=151-250");
	operate(&model, "pool.slots.move", "{'name': 'db', 'slots': '7', 'backend': 'db2'}");
	assert_string_equal(ranges_of(model), "db1=0-6,db2=7,db1=8-99,db3=100-150,db2=151-250");
	operate(&model, "pool.slots.move",
		"{'name': 'db', 'slots': '0-250', 'backend': 'db1', 'owner': 'db2'}");
	assert_string_equal(ranges_of(model), "db1=0-99,db3=100-150,db1=151-250");
	refused(&model, -EINVAL, "pool.slots.move", "{'name': 'db', 'slots': '200-251', 'backend': 'db3'}",
		"slots cannot be \"200-251\", which goes beyond slot 250", "pool db",
		"a slot or a range of slots from 0 to 250, such as 17 or 0-99");
	refused(&model, -EINVAL, "pool.slots.move", "{'name': 'db', 'slots': '9-3', 'backend': 'db3'}",
		"slots cannot be \"9-3\", which ends before it begins", "pool db",
		"a slot or a range of slots from 0 to 250, such as 17 or 0-99");
	refused(&model, -ENOENT, "pool.slots.move", "{'name': 'db', 'slots': '3', 'backend': 'bd3'}",
		"there is no backend bd3", "pool db", "did you mean db3?");
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'ring'}");
	refused(&model, -EINVAL, "pool.slots.move", "{'name': 'db', 'slots': '3', 'backend': 'db3'}",
		"scheme ring places slots itself", "pool db", "a pool with scheme slots");
	model_free(model);
}

static void an_assignment_has_an_owner_for_every_slot(void **state)
{
	static const struct {
		const char *ranges, *what, *right;
	} wrong[] = {
		{"db1=0-9", "slots 10-250 have no owner", "a backend for each of slots 0 to 250, or even"},
		{"db1=0-9,db2=20-250", "slots 10-19 have no owner",
		 "a backend for each of slots 0 to 250, or even"},
		{"db1=0-9,db9=10-250", "slots 10-250 are given to db9, which is not a backend of the pool",
		 "every slot of the table given to a backend of the pool that has weight"},
		{"db1=0-251", "slot 251 is not in a table of 251", "slots 0 to 250"},
		{"db1=0-10,db2=10-250",
		 "ranges cannot be \"db1=0-10,db2=10-250\", which gives a slot to two owners",
		 "every slot's owner, such as db1=0-8191,db2=8192-16383, or even"},
		{"db1", "ranges cannot be \"db1\", which has no = in db1",
		 "every slot's owner, such as db1=0-8191,db2=8192-16383, or even"},
		{"db1=0-4294967296",
		 "ranges cannot be \"db1=0-4294967296\", which has slots 0-4294967296, which goes beyond "
		 "slot 1048572",
		 "every slot's owner, such as db1=0-8191,db2=8192-16383, or even"},
	};
	struct model *model = model_of("slots", 2);

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		char arguments[128];

		snprintf(arguments, sizeof arguments, "{'name': 'db', 'ranges': '%s'}", wrong[i].ranges);
		refused(&model, -EINVAL, "pool.set", arguments, wrong[i].what, "pool db", wrong[i].right);
	}
	refused(&model, -EINVAL, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 0}",
		"slots 0-124 are given to db1, which has no weight", "pool db",
		"every slot of the table given to a backend of the pool that has weight");
	/* One form, however it is written. */
	operate(&model, "pool.set", "{'name': 'db', 'ranges': 'db2=200-250,db1=0-99,db1=100-199'}");
	assert_string_equal(ranges_of(model), "db1=0-199,db2=200-250");
	model_free(model);
}

static void who_owns_slots_is_not_removed(void **state)
{
	struct model *model = model_of("slots", 3);

	(void)state;
	refused(&model, -EBUSY, "backend.remove", "{'pool': 'db', 'name': 'db2'}",
		"backend db2 still owns 84 slots", "pool db",
		"`holdfast pool slots move db 83-166 BACKEND --owner db2` first, or `holdfast backend drain "
		"db/db2`, whose slots go to those who serve them meanwhile");
	operate(&model, "pool.slots.move", "{'name': 'db', 'slots': '83-166', 'backend': 'db1'}");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	assert_string_equal(ranges_of(model), "db1=0-166,db3=167-250");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1', 'now': true}");
	assert_string_equal(ranges_of(model), "db3=0-250");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db3', 'now': true}");
	assert_string_equal(ranges_of(model), "even");
	model_free(model);
}

/* Slots of which the owner is another. */
static uint32_t count_moved(const struct image *before, const struct image *after)
{
	uint32_t moved = 0;

	for (uint32_t i = 0; i < before->pools[0].table.size; i++)
		moved += (uint16_t)before->pools[0].words[i] != (uint16_t)after->pools[0].words[i];
	return moved;
}

static void removing_a_drained_owner_moves_nothing(void **state)
{
	struct model *model = model_of("slots", 4);
	struct ledger *ledger = ledger_new();
	struct image *first, *drained, *removed;

	(void)state;
	first = must_image(model, ledger, NULL, "");
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db2'}");
	drained = must_image(model, ledger, first, "");
	assert_int_equal(count_moved(first, drained), 63);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2'}");
	assert_true(pool_backend(model_pool(model, "db"), "db2")->removing);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	removed = must_image(model, ledger, drained, "");
	assert_int_equal(count_moved(drained, removed), 0);
	assert_null(strstr(ranges_of(model), "db2"));
	image_free(first);
	image_free(drained);
	image_free(removed);
	ledger_free(ledger);
	model_free(model);
}

/* Applies the model as its own configuration, without ranges and without one backend. */
static int apply_without(struct model **model, const char *backend, struct refusal *refusal)
{
	json_t *json = model_to_json(*model), *pool = json_array_get(json_object_get(json, "pools"), 0),
	       *item;
	json_t *arguments;
	struct model *after;
	size_t i;
	int error;

	json_object_del(pool, "ranges");
	json_object_del(json, "history");
	json_array_foreach (json_object_get(pool, "backends"), i, item) {
		if (strcmp(json_string_value(json_object_get(item, "name")), backend) == 0) {
			json_array_remove(json_object_get(pool, "backends"), i);
			break;
		}
	}
	arguments = json_pack("{s:o}", "configuration", json);
	error = operation_apply(*model, "model.apply", arguments, TEST_NOW, &after, refusal);
	json_decref(arguments);
	if (error == 0) {
		model_free(*model);
		*model = after;
	}
	return error;
}

static void a_silent_configuration_leaves_slots_where_they_are(void **state)
{
	struct model *model = model_of("slots", 3);
	struct refusal refusal = {0};

	(void)state;
	operate(&model, "pool.slots.move", "{'name': 'db', 'slots': '0-82', 'backend': 'db3'}");
	assert_int_equal(apply_without(&model, "nobody", &refusal), 0);
	assert_string_equal(ranges_of(model), "db3=0-82,db2=83-166,db3=167-250");
	assert_int_equal(apply_without(&model, "db2", &refusal), -EBUSY);
	assert_string_equal(refusal.what, "backend db2 still owns 84 slots");
	assert_int_equal(apply_without(&model, "db1", &refusal), 0);
	assert_string_equal(ranges_of(model), "db3=0-82,db2=83-166,db3=167-250");
	operate(&model, "backend.disable", "{'pool': 'db', 'name': 'db2'}");
	assert_int_equal(apply_without(&model, "db2", &refusal), 0);
	assert_null(pool_backend(model_pool(model, "db"), "db2"));
	assert_string_equal(ranges_of(model), "db3=0-250");
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_pool_is_divided_evenly_until_its_first_service),
		cmocka_unit_test(slots_move_where_they_are_told),
		cmocka_unit_test(an_assignment_has_an_owner_for_every_slot),
		cmocka_unit_test(who_owns_slots_is_not_removed),
		cmocka_unit_test(removing_a_drained_owner_moves_nothing),
		cmocka_unit_test(a_silent_configuration_leaves_slots_where_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
