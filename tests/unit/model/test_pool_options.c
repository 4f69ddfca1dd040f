/* SPDX-License-Identifier: Apache-2.0 */
/* What only one scheme asks of a pool. */
#include "unit/model/schemes.h"

#include <errno.h>

#include "core/config/config.h"
#include "core/config/model_json.h"
#include "core/model/history.h"
#include "core/model/pool_options.h"
#include "core/model/pool_placement.h"

static const struct {
	const char *scheme, *key, *value; /* as JSON with ' for " */
	const char *default_value;
} options[] = {
	{"ring", "virtual_nodes", "200", "100"},
	{"ring", "ring_hash", "'md5'", "'xxhash'"},
	{"ring", "ring_hash", "'md5-64'", "'xxhash'"},
	{"ring", "ring_owner", "'after'", "'at'"},
	{"ketama", "ketama", "'nginx'", "'libmemcached'"},
	{"stable", "tolerance", "1.5", "0"},
	{"slots", "ranges", "'db1=0-9,db2=10-250'", "'even'"},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static void assert_same_model(const struct model *a, const struct model *b)
{
	json_t *left = model_to_json(a), *right = model_to_json(b);

	assert_true(json_equal(left, right));
	json_decref(left);
	json_decref(right);
}

static struct model *through_yaml(const struct model *model)
{
	struct refusal refusal = {0};
	struct model *back;
	json_t *json;
	char *text;

	assert_int_equal(config_export(model, true, &text), 0);
	if (config_parse(text, strlen(text), &json, &refusal) != 0)
		fail_msg("%s (%s): %s", refusal.what, refusal.where, text);
	assert_int_equal(model_from_json(json, &back, &refusal), 0);
	json_decref(json);
	free(text);
	return back;
}

static void an_option_shapes_the_table_and_outlives_a_file(void **state)
{
	(void)state;
	for (int i = 0; i < OPTIONS; i++) {
		struct model *model = model_of(options[i].scheme, 2), *back;
		uint64_t standard = table_digest(model), ranges = strcmp(options[i].scheme, "slots") == 0;

		/* Only an assignment is no default once a service leads to the pool. */
		assert_int_equal(pool_options_digest(&model_pool(model, "db")->options) != 0, ranges);

		operate(&model, "pool.set", "{'name': 'db', '%s': %s}", options[i].key, options[i].value);
		if (table_digest(model) == standard)
			fail_msg("%s %s makes no difference", options[i].key, options[i].value);
		back = through_yaml(model);
		assert_same_model(model, back);
		assert_true(table_digest(back) == table_digest(model));
		model_free(back);
		operate(&model, "pool.set", "{'name': 'db', '%s': %s}", options[i].key,
			options[i].default_value);
		assert_true(table_digest(model) == standard);
		model_free(model);
	}
}

/* Balancers of different versions compare digests: these numbers never change. */
static void digests_are_the_same_in_every_version(void **state)
{
	static char ranges[] = "db1=0-8191,db2=8192-16383", one[] = "a=0";
	const struct {
		struct pool_options options;
		uint64_t digest;
	} cases[] = {
		{{.virtual_nodes = 100}, 0},
		{{.virtual_nodes = 200}, 0xb5c90b9d04f77908},
		{{.virtual_nodes = 1, .ring_hash = 2, .ring_owner = RING_AFTER}, 0x11583fc1aeca25c5},
		{{.virtual_nodes = 100, .ring_hash = 1}, 0xde1423c11ec76cdd},
		{{.virtual_nodes = 100, .ring_owner = RING_AFTER}, 0x2995035b4ab55326},
		{{.virtual_nodes = 100, .ketama = KETAMA_NGINX}, 0x1ec208a0d44f692c},
		{{.virtual_nodes = 100, .tolerance = 5}, 0xea27c28b88ccbae2},
		{{.virtual_nodes = 100, .tolerance = 1000}, 0x69e47304c3d96acd},
		{{.virtual_nodes = 100, .ranges = ranges}, 0x3e353de7f06bf980},
		{{.virtual_nodes = 65536,
		  .ring_hash = 2,
		  .ring_owner = RING_AFTER,
		  .ketama = KETAMA_NGINX,
		  .tolerance = 1000,
		  .ranges = one},
		 0xba687a60d067b083},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_true(pool_options_digest(&cases[i].options) == cases[i].digest);
}

static void an_option_of_another_scheme_is_refused_by_name(void **state)
{
	(void)state;
	for (int i = 0; i < OPTIONS; i++) {
		struct model *model = small_model(2);
		char arguments[128], what[64], right[96];

		snprintf(arguments, sizeof arguments, "{'name': 'db', '%s': %s}", options[i].key,
			 options[i].value);
		snprintf(what, sizeof what, "scheme maglev has no %s", options[i].key);
		snprintf(right, sizeof right, "scheme %s, or no %s", options[i].scheme, options[i].key);
		refused(&model, -EINVAL, "pool.set", arguments, what, "pool db", right);
		model_free(model);
	}
}

static void values_that_no_option_takes_are_refused(void **state)
{
	struct model *model = model_of("stable", 2);

	(void)state;
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'tolerance': 100.5}",
		"tolerance 100.5 is out of range", "pool db",
		"percent from 0 to 100, with one digit behind the point at most");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'tolerance': '0.55'}",
		"tolerance cannot be \"0.55\", which has more than one digit behind the point", "pool db",
		"percent from 0 to 100, with one digit behind the point at most");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'tolerance': '1,5'}",
		"tolerance cannot be \"1,5\", which is not a number", "pool db",
		"percent from 0 to 100, with one digit behind the point at most");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'virtual_nodes': 0}",
		"virtual_nodes 0 is out of range", "pool db", "a number from 1 to 65536");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'ring_hash': 'identity'}",
		"ring_hash cannot be \"identity\"", "pool db", "xxhash, md5 or md5-64");
	model_free(model);
}

static void tolerance_is_read_in_every_form(void **state)
{
	static const char *const forms[] = {"0.7", "'0.7'", "'.7'"};
	struct model *model = model_of("stable", 2);

	(void)state;
	for (int i = 0; i < 2; i++) {
		operate(&model, "pool.set", "{'name': 'db', 'tolerance': %s}", forms[i]);
		assert_int_equal(model_pool(model, "db")->options.tolerance, 7);
		operate(&model, "pool.set", "{'name': 'db', 'tolerance': 3}");
		assert_int_equal(model_pool(model, "db")->options.tolerance, 30);
	}
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'tolerance': '.7'}",
		"tolerance cannot be \".7\", which is not a number", "pool db",
		"percent from 0 to 100, with one digit behind the point at most");
	model_free(model);
}

static void another_scheme_leaves_the_options_of_the_old_one(void **state)
{
	struct model *model = model_of("ring", 2);

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'virtual_nodes': 7, 'ring_owner': 'after'}");
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'stable', 'tolerance': 1}");
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'slots'}");
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'ring'}");
	assert_int_equal(model_pool(model, "db")->options.virtual_nodes, 100);
	assert_int_equal(model_pool(model, "db")->options.ring_owner, RING_AT);
	assert_null(model_pool(model, "db")->options.ranges);
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'scheme': 'jump', 'virtual_nodes': 7}",
		"scheme jump has no virtual_nodes", "pool db", "scheme ring, or no virtual_nodes");
	model_free(model);
}

static bool is_remembered(const struct model *model, struct placement *was)
{
	bool found = false;

	for (size_t i = 0; i < model->history_count; i++) {
		struct placement *placement;

		assert_int_equal(record_placement(&model->history[i], &placement, NULL), 0);
		found = found || placement_digest(placement) == placement_digest(was);
		placement_free(placement);
	}
	return found;
}

static void an_option_that_was_is_remembered(void **state)
{
	(void)state;
	for (int i = 0; i < OPTIONS; i++) {
		struct model *model = model_of(options[i].scheme, 2), *back;
		struct placement *was;
		size_t before = model->history_count;

		operate(&model, "pool.set", "{'name': 'db', '%s': %s}", options[i].key, options[i].value);
		assert_int_equal(pool_placement(model, model_pool(model, "db"), NULL, &was, NULL), 0);
		operate(&model, "pool.set", "{'name': 'db', '%s': %s}", options[i].key,
			options[i].default_value);
		assert_int_equal(model->history_count, before + 2);
		back = through_yaml(model);
		assert_same_model(model, back);
		assert_true(history_digest(back->history, back->history_count) ==
			    history_digest(model->history, model->history_count));
		assert_true(is_remembered(back, was));
		placement_free(was);
		model_free(back);
		model_free(model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_option_shapes_the_table_and_outlives_a_file),
		cmocka_unit_test(digests_are_the_same_in_every_version),
		cmocka_unit_test(an_option_of_another_scheme_is_refused_by_name),
		cmocka_unit_test(values_that_no_option_takes_are_refused),
		cmocka_unit_test(tolerance_is_read_in_every_form),
		cmocka_unit_test(another_scheme_leaves_the_options_of_the_old_one),
		cmocka_unit_test(an_option_that_was_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
