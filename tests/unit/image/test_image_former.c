// SPDX-License-Identifier: Apache-2.0
/* Former owners among the hops: all of it follows from the history alone. */
#include <holdfast/flowhash.h>

#include "unit/image/instance.h"
#include "core/image/image_pool.h"
#include "core/model/history.h"

static void former_owners_are_named(void **state)
{
	struct instance *instance = begin(12, "'encap': 'gue'");
	uint16_t before[251];

	(void)state;
	for (uint32_t at = 0; at < 251; at++)
		before[at] = slot_at(instance, at).owner;
	operate(&instance->model, "backend.add", "{'pool': 'db', 'name': 'a', 'address': '10.0.1.1'}");
	operate(&instance->model, "backend.add", "{'pool': 'db', 'name': 'b', 'address': '10.0.1.2'}");
	image_free(instance->image); /* a balancer that was not there */
	instance->image = NULL;
	load(instance, LATER);
	for (uint32_t at = 0; at < 251; at++)
		assert_true(has_hop(&instance->image->pools[0].hops[at], before[at]));
	end(instance);
}

/* Whoever owned a slot while those it prefers were drained or disabled has flows of it still. */
static void owners_while_others_rested_are_named(void **state)
{
	static const char *const changes[][2] = {
		{"backend.add", "{'pool': 'db', 'name': 'a', 'address': '10.0.1.1'}"},
		{"backend.activate", "{'pool': 'db', 'name': 'db3'}"},
		{"backend.set", "{'pool': 'db', 'name': 'db5', 'weight': 300}"},
		{"backend.activate", "{'pool': 'db', 'name': 'db4'}"},
		{"backend.activate", "{'pool': 'db', 'name': 'db6'}"},
		{"backend.add", "{'pool': 'db', 'name': 'b', 'address': '10.0.1.2'}"},
	};
	struct instance *instance = begin(16, "'encap': 'gue', 'table_size': 4093");
	uint16_t *before = calloc(4093, sizeof *before);

	(void)state;
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db3'}");
	operate(&instance->model, "backend.disable", "{'pool': 'db', 'name': 'db4'}");
	operate(&instance->model, "backend.drain", "{'pool': 'db', 'name': 'db6'}");
	load(instance, LATER);
	for (uint32_t at = 0; at < 4093; at++)
		before[at] = slot_at(instance, at).owner;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		operate(&instance->model, changes[i][0], changes[i][1]);
	image_free(instance->image); /* a balancer that was not there */
	instance->image = NULL;
	load(instance, LATER);
	for (uint32_t at = 0; at < 4093; at++)
		assert_true(has_hop(&instance->image->pools[0].hops[at], before[at]));
	free(before);
	end(instance);
}

/* Slots are ranges of hashes: those of another size say of a slot what they say of its hashes. */
static void former_owners_outlive_the_size_of_the_table(void **state)
{
	struct instance *instance = begin(12, "'encap': 'gue'");
	uint16_t before[251];

	(void)state;
	for (uint32_t at = 0; at < 251; at++)
		before[at] = slot_at(instance, at).owner;
	operate(&instance->model, "pool.set", "{'name': 'db', 'table_size': 509}");
	image_free(instance->image); /* a balancer that was not there */
	instance->image = NULL;
	load(instance, LATER);
	for (uint64_t hash = 0; hash < 1ULL << 32; hash += 1234567)
		assert_true(has_hop(&instance->image->pools[0].hops[hf_slot_index(hash << 32, 509)],
				    before[hf_slot_index(hash << 32, 251)]));
	end(instance);
}

/* Where flows live is the first preference of some set far more often than the second of any. */
static void first_preferences_come_before_second_ones(void **state)
{
	static const char *const changes[][2] = {
		{"backend.add", "{'pool': 'db', 'name': 'a', 'address': '10.0.1.1'}"},
		{"backend.add", "{'pool': 'db', 'name': 'b', 'address': '10.0.1.2'}"},
		{"backend.set", "{'pool': 'db', 'name': 'db5', 'weight': 300}"},
		{"backend.set", "{'pool': 'db', 'name': 'db6', 'weight': 20}"},
		{"pool.set", "{'name': 'db', 'table_size': 65537}"},
	};
	struct instance *instance = begin(8, "'encap': 'gue', 'table_size': 32771");
	uint32_t missing = 0;
	uint16_t *before = calloc(32771, sizeof *before);

	(void)state;
	for (uint32_t at = 0; at < 32771; at++)
		before[at] = slot_at(instance, at).owner;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		operate(&instance->model, changes[i][0], changes[i][1]);
	image_free(instance->image);
	instance->image = NULL;
	load(instance, LATER);
	for (uint64_t hash = 0; hash < 1ULL << 32; hash += 100003)
		missing += !has_hop(&instance->image->pools[0].hops[hf_slot_index(hash << 32, 65537)],
				    before[hf_slot_index(hash << 32, 32771)]);
	assert_true(missing <= 4); /* of 42,949 */
	free(before);
	end(instance);
}

static struct model *operate_at(struct model *model, const char *word, json_t *arguments, int64_t now)
{
	struct refusal refusal = {0};
	struct model *after;

	if (operation_apply(model, word, arguments, now, &after, &refusal) != 0)
		fail_msg("%s: %s (%s)", word, refusal.what, refusal.where);
	json_decref(arguments);
	model_free(model);
	return after;
}

static void random_change(struct instance *instance, uint64_t *random, int round)
{
	json_t *arguments = json_pack("{ss}", "pool", "db");
	const char *word;
	char name[16], address[32];

	snprintf(name, sizeof name, "db%d", 1 + (int)(draw(random) % 16));
	snprintf(address, sizeof address, "10.0.2.%d", 1 + round % 250);
	json_object_set_new(arguments, "name", json_string(name));
	if (!pool_backend(&instance->model->pools[0], name)) {
		word = "backend.add";
		json_object_set_new(arguments, "address", json_string(address));
	} else if (draw(random) % 2) {
		word = draw(random) % 2 ? "backend.drain" : "backend.activate";
	} else if (draw(random) % 2 && instance->model->pools[0].backend_count > 4) {
		word = "backend.remove";
		json_object_set_new(arguments, "now", json_true());
	} else {
		word = "backend.set";
		json_object_set_new(arguments, "weight", json_integer(50 + 50 * (int)(draw(random) % 3)));
	}
	instance->model = operate_at(instance->model, word, arguments, (int64_t)(LATER + round) * 1000);
}

/* Step by step or at once, the history says the same. */
static void former_owners_follow_from_the_history_alone(void **state)
{
	struct instance *instance = begin(8, "'encap': 'gue'");
	uint64_t random = 5;

	(void)state;
	for (int round = 0; round < 150; round++) {
		struct image *grown;

		random_change(instance, &random, round);
		load(instance, LATER + (uint32_t)round);
		grown = instance->image;
		instance->image = NULL;
		load(instance, LATER + (uint32_t)round);
		assert_true(grown->pools[0].history_digest == instance->image->pools[0].history_digest);
		for (uint32_t at = 0; at < 251; at++)
			assert_memory_equal(shared_former_slot(grown->pools[0].shared_former, at),
					    shared_former_slot(instance->image->pools[0].shared_former, at),
					    FORMER_WIDTH * sizeof(uint16_t));
		image_free(instance->image);
		instance->image = grown;
	}
	end(instance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(former_owners_are_named),
		cmocka_unit_test(owners_while_others_rested_are_named),
		cmocka_unit_test(former_owners_outlive_the_size_of_the_table),
		cmocka_unit_test(first_preferences_come_before_second_ones),
		cmocka_unit_test(former_owners_follow_from_the_history_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
