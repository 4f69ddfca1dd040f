/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include "core/model/member_record.h"

static struct member_record record_of(const struct model *model, int64_t until)
{
	struct member_record record;

	assert_int_equal(member_record_make(model, model_pool(model, "db"), until, &record), 0);
	return record;
}

/* Each operation makes another set; those that mark only who rests leave the placement as it was. */
static void sets_differ_by_what_places_their_slots(void **state)
{
	static const struct {
		const char *word, *arguments;
		bool same, same_placement;
	} cases[] = {
		{"backend.health", "{'pool': 'db', 'name': 'db1', 'state': 'down'}", true, true},
		{"pool.set", "{'name': 'db', 'grace': '1m'}", true, true},
		{"backend.drain", "{'pool': 'db', 'name': 'db1'}", false, true},
		{"backend.disable", "{'pool': 'db', 'name': 'db2'}", false, true},
		{"backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 99}", false, false},
		{"backend.set", "{'pool': 'db', 'name': 'db1', 'zone': 'east'}", false, false},
		{"backend.add", "{'pool': 'db', 'name': 'db3', 'address': '10.0.0.3'}", false, false},
		{"pool.set", "{'name': 'db', 'table_size': 509}", false, false},
		{"pool.set", "{'name': 'db', 'seed': '00000000000000ff'}", false, false},
		{"pool.set", "{'name': 'db', 'hash': 'source'}", false, false},
		{"pool.set", "{'name': 'db', 'scheme': 'ring'}", false, false},
		{"pool.set", "{'name': 'db', 'scheme': 'ring', 'virtual_nodes': 7}", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct model *model = small_model(2);
		struct member_record before = record_of(model, 1), after;

		operate(&model, cases[i].word, "%s", cases[i].arguments);
		after = record_of(model, 2);
		if (member_record_equal(&before, &after) != cases[i].same ||
		    member_record_same_placement(&before, &after) != cases[i].same_placement ||
		    member_record_same_placement(&after, &before) != cases[i].same_placement ||
		    (member_record_digest(&before) == member_record_digest(&after)) != cases[i].same)
			fail_msg("%s %s", cases[i].word, cases[i].arguments);
		member_record_release(&before);
		member_record_release(&after);
		model_free(model);
	}
}

static void an_option_is_part_of_the_set(void **state)
{
	struct model *model = small_model(2);
	struct member_record before, after;

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'ring'}");
	before = record_of(model, 1);
	operate(&model, "pool.set", "{'name': 'db', 'virtual_nodes': 7}");
	after = record_of(model, 1);
	assert_false(member_record_equal(&before, &after));
	assert_true(member_record_digest(&before) != member_record_digest(&after));
	member_record_release(&before);
	member_record_release(&after);
	model_free(model);
}

static void the_newest_of_a_pool_comes_first(void **state)
{
	struct model *model = small_model(2);
	struct member_record old = record_of(model, 1), new = record_of(model, 2),
			     other = record_of(model, 3);

	(void)state;
	strcpy(other.pool, "web");
	assert_true(member_record_order(&new, &old) < 0);
	assert_true(member_record_order(&old, &new) > 0);
	assert_true(member_record_order(&old, &other) < 0);
	assert_int_equal(member_record_order(&old, &old), 0);
	member_record_release(&old);
	member_record_release(&new);
	member_record_release(&other);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_differ_by_what_places_their_slots),
		cmocka_unit_test(an_option_is_part_of_the_set),
		cmocka_unit_test(the_newest_of_a_pool_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
