/* SPDX-License-Identifier: Apache-2.0 */
/* What only one scheme asks of a pool, and the assignment of scheme slots. */
#include "unit/models.h"

#include <errno.h>

#include "core/config/config.h"
#include "core/config/model_json.h"
#include "core/model/history.h"
#include "core/image/image_pool.h"
#include "core/image/moves.h"
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

static const char *ranges_of(const struct model *model)
{
	const char *ranges = model_pool(model, "db")->options.ranges;

	return ranges ? ranges : SLOT_RANGES_EVEN;
}

/* A pool db of this scheme with so many backends, and a service in front of it. */
static struct model *model_of(const char *scheme, int backends)
{
	struct model *model = small_model(backends);

	operate(&model, "pool.set", "{'name': 'db', 'scheme': '%s'}", scheme);
	return model;
}

static uint64_t table_digest(const struct model *model)
{
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "");
	uint64_t digest = image->pools[0].digest;

	image_free(image);
	ledger_free(ledger);
	return digest;
}

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

/* Histories --------------------------------------------------------------------------- */

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

static void operate_at(struct model **model, int64_t now, const char *word, const char *arguments)
{
	struct refusal refusal = {0};
	struct model *after;
	json_t *json = json_loads(arguments, 0, NULL);

	assert_non_null(json);
	if (operation_apply(*model, word, json, now, &after, &refusal) != 0)
		fail_msg("%s %s: %s", word, arguments, refusal.what);
	json_decref(json);
	model_free(*model);
	*model = after;
}

/* Step by step or at once, sets of other schemes and options name the same former owners. */
static void former_owners_of_other_schemes_follow_from_the_history(void **state)
{
	static const struct {
		const char *word, *arguments;
	} steps[] = {
		{"pool.set", "{\"name\": \"db\", \"scheme\": \"ring\"}"},
		{"pool.set", "{\"name\": \"db\", \"virtual_nodes\": 9}"},
		{"backend.set", "{\"pool\": \"db\", \"name\": \"db2\", \"weight\": 300}"},
		{"pool.set", "{\"name\": \"db\", \"scheme\": \"slots\"}"},
		{"pool.slots.move", "{\"name\": \"db\", \"slots\": \"0-99\", \"backend\": \"db4\"}"},
		{"pool.slots.move", "{\"name\": \"db\", \"slots\": \"50-120\", \"backend\": \"db1\"}"},
		{"backend.remove", "{\"pool\": \"db\", \"name\": \"db3\", \"now\": true}"},
		{"pool.set", "{\"name\": \"db\", \"scheme\": \"stable\", \"tolerance\": 2}"},
		{"pool.set", "{\"name\": \"db\", \"tolerance\": 0}"},
		{"pool.set", "{\"name\": \"db\", \"virtual_nodes\": 9, \"scheme\": \"ring\"}"},
	};
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new();
	struct image *grown;

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'encap': 'gue'}");
	grown = must_image(model, ledger, NULL, "");
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		struct image *next, *fresh;

		operate_at(&model, TEST_NOW + 1 + (int64_t)i, steps[i].word, steps[i].arguments);
		assert_int_equal(model->history_count, i + 1);
		next = must_image(model, ledger, grown, "");
		fresh = must_image(model, ledger, NULL, "");
		for (uint32_t at = 0; at < 251; at++)
			assert_memory_equal(shared_former_slot(next->pools[0].shared_former, at),
					    shared_former_slot(fresh->pools[0].shared_former, at),
					    FORMER_WIDTH * sizeof(uint16_t));
		image_free(fresh);
		image_free(grown);
		grown = next;
	}
	image_free(grown);
	ledger_free(ledger);
	model_free(model);
}

/* Slots ------------------------------------------------------------------------------- */

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

/* Migrations -------------------------------------------------------------------------- */

static void a_switch_of_scheme_moves_slots_that_keep_their_base(void **state)
{
	static const char *const schemes[] = {"stable", "rendezvous", "ring", "ketama",
					      "jump",   "modulo",     "slots"};

	(void)state;
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		struct model *model = small_model(4);
		struct ledger *ledger = ledger_new();
		struct image *before = must_image(model, ledger, NULL, ""), *after;
		struct plan *plan;

		operate(&model, "pool.set", "{'name': 'db', 'scheme': '%s'}", schemes[i]);
		after = must_image(model, ledger, before, "");
		assert_int_equal(plan_make(before, after, &plan), 0);
		assert_int_equal(plan->pool_count, 1);
		assert_false(plan->pools[0].rebuilt);
		assert_int_equal(plan->pools[0].moved, after->pools[0].moving);
		assert_true(plan->pools[0].moved > 100);
		for (uint32_t at = 0; at < 251; at++) {
			struct slot was = slot_read(before->pools[0].words[at], 0);
			struct slot slot = slot_read(after->pools[0].words[at], 0);

			assert_int_equal(slot.base, was.owner);
			assert_int_equal(slot.moving, slot.owner != was.owner);
		}
		plan_free(plan);
		image_free(before);
		image_free(after);
		ledger_free(ledger);
		model_free(model);
	}
}

/* What a previous placement lends gives the table that would be made from nothing. */
static void a_table_that_was_rebuilt_is_the_table_that_is_built(void **state)
{
	static const char *const changes[] = {"{'pool': 'db', 'name': 'db3', 'weight': 250}",
					      "{'pool': 'db', 'name': 'db7', 'weight': 0}",
					      "{'pool': 'db', 'name': 'db3', 'weight': 100}",
					      "{'pool': 'db', 'name': 'db7', 'zone': 'east'}"};

	(void)state;
	for (int tolerance = 0; tolerance <= 2; tolerance++) {
		struct model *model = small_model(20);
		struct ledger *ledger = ledger_new();
		struct image *image, *before;

		operate(&model, "pool.set",
			"{'name': 'db', 'scheme': 'stable', 'table_size': 4001, 'tolerance': %d}", tolerance);
		before = must_image(model, ledger, NULL, "");
		for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
			operate(&model, "backend.set", changes[i]);
			if (i == 1)
				operate(&model, "pool.set", "{'name': 'db', 'tolerance': %d}", 5 - tolerance);
			image = must_image(model, ledger, before, "");
			assert_true(image->pools[0].digest == table_digest(model));
			image_free(before);
			before = image;
		}
		image_free(before);
		ledger_free(ledger);
		model_free(model);
	}
}

static void warnings_are_given_of_options_too(void **state)
{
	struct model *model = model_of("ring", 3);
	struct placement *before, *after;
	char text[256];

	(void)state;
	assert_int_equal(pool_placement(model, model_pool(model, "db"), NULL, &before, NULL), 0);
	assert_false(placement_move_warning(before, before, text, sizeof text));
	operate(&model, "pool.set", "{'name': 'db', 'virtual_nodes': 50}");
	assert_int_equal(pool_placement(model, model_pool(model, "db"), NULL, &after, NULL), 0);
	assert_true(placement_move_warning(before, after, text, sizeof text));
	assert_non_null(strstr(text, "option"));
	placement_free(before);
	placement_free(after);
	model_free(model);
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
		cmocka_unit_test(former_owners_of_other_schemes_follow_from_the_history),
		cmocka_unit_test(a_new_pool_is_divided_evenly_until_its_first_service),
		cmocka_unit_test(slots_move_where_they_are_told),
		cmocka_unit_test(an_assignment_has_an_owner_for_every_slot),
		cmocka_unit_test(who_owns_slots_is_not_removed),
		cmocka_unit_test(removing_a_drained_owner_moves_nothing),
		cmocka_unit_test(a_silent_configuration_leaves_slots_where_they_are),
		cmocka_unit_test(a_switch_of_scheme_moves_slots_that_keep_their_base),
		cmocka_unit_test(a_table_that_was_rebuilt_is_the_table_that_is_built),
		cmocka_unit_test(warnings_are_given_of_options_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
