// SPDX-License-Identifier: Apache-2.0
#include <holdfast/slot.h>

#include "unit/models.h"

enum { SERVES = HF_BACKEND_SERVES_TCP | HF_BACKEND_SERVES_UDP };

static uint16_t owner_of(const struct pool_image *pool, uint32_t slot)
{
	return (uint16_t)pool->words[slot];
}

/* The name of the member that the table, the states and nothing else make owner of a slot. */
static uint16_t expected_owner(const struct pool_image *pool, uint32_t slot)
{
	uint16_t walk[64];
	size_t count = placement_walk(pool->placement, slot, walk, 64);

	for (size_t i = 0; i < count; i++)
		if (pool->members[walk[i]].takes_new)
			return pool->members[walk[i]].number;
	return 0;
}

static void check_owners(const struct image *image)
{
	const struct pool_image *pool = image_pool(image, "db");

	for (uint32_t slot = 0; slot < pool->table.size; slot++) {
		assert_int_equal(owner_of(pool, slot), expected_owner(pool, slot));
		if (!hf_slot_flags(pool->words[slot]))
			assert_int_equal(hf_slot_base(pool->words[slot]), owner_of(pool, slot));
	}
}

static void words_name_owners_by_the_ledgers_numbers(void **state)
{
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "");
	const struct pool_image *pool = image_pool(image, "db");
	const uint16_t *owners = placement_owners(pool->placement);

	(void)state;
	for (uint32_t slot = 0; slot < pool->table.size; slot++) {
		const char *name;

		assert_true(ledger_backend_name(ledger, owner_of(pool, slot), NULL, &name, NULL));
		assert_string_equal(name, placement_member_name(pool->placement, owners[slot]));
	}
	check_owners(image);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

static void models_made_in_different_orders_have_equal_images(void **state)
{
	struct model *a = model_new(9), *b = model_new(9);
	struct ledger *a_ledger = ledger_new(), *b_ledger = ledger_new();
	struct image *a_image, *b_image;

	(void)state;
	operate(&a, "pool.add", "{'name': 'db'}");
	operate(&b, "pool.add", "{'name': 'db'}");
	for (int i = 0; i < 40; i++) {
		operate(&a, "backend.add",
			"{'pool': 'db', 'name': 'n%d', 'address': '10.0.0.%d', 'weight': %d}", i, i + 1,
			1 + i % 7);
		operate(&b, "backend.add",
			"{'pool': 'db', 'name': 'n%d', 'address': '10.0.0.%d', 'weight': %d}", 39 - i, 40 - i,
			1 + (39 - i) % 7);
	}
	a_image = must_image(a, a_ledger, NULL, "n3 n4 ");
	b_image = must_image(b, b_ledger, NULL, "n3 n4 ");
	assert_true(a_image->pools[0].digest == b_image->pools[0].digest);
	assert_memory_equal(a_image->pools[0].words, b_image->pools[0].words, 65537 * sizeof(uint64_t));
	assert_int_equal(a_image->backend_count, b_image->backend_count);
	for (size_t i = 0; i < a_image->backend_count; i++)
		assert_memory_equal(&a_image->backends[i].entry, &b_image->backends[i].entry,
				    sizeof(struct hf_backend));
	image_free(a_image);
	image_free(b_image);
	ledger_free(a_ledger);
	ledger_free(b_ledger);
	model_free(a);
	model_free(b);
}

/* Only its own slots move, and just those return. */
static void check_leave_and_return(struct model **model, struct ledger *ledger, const char *name,
				   const char *down)
{
	struct image *before = must_image(*model, ledger, NULL, ""), *during, *after;
	uint16_t number = ledger_backend(ledger, "db", pool_backend(model_pool(*model, "db"), name));
	size_t had = 0;

	if (!down)
		operate(model, "backend.drain", "{'pool': 'db', 'name': '%s'}", name);
	during = must_image(*model, ledger, before, down ? down : "");
	check_owners(during);
	for (uint32_t slot = 0; slot < 251; slot++) {
		uint16_t old = owner_of(&before->pools[0], slot), new = owner_of(&during->pools[0], slot);

		had += old == number;
		if (old == number)
			assert_int_not_equal(new, number);
		else
			assert_int_equal(new, old);
	}
	assert_true(had > 0);
	assert_ptr_equal(before->pools[0].placement, during->pools[0].placement);
	if (!down)
		operate(model, "backend.activate", "{'pool': 'db', 'name': '%s'}", name);
	after = must_image(*model, ledger, during, "");
	for (uint32_t slot = 0; slot < 251; slot++)
		assert_int_equal(owner_of(&before->pools[0], slot), owner_of(&after->pools[0], slot));
	image_free(before);
	image_free(during);
	image_free(after);
}

static void draining_moves_only_a_backends_own_slots(void **state)
{
	struct model *model = small_model(6);
	struct ledger *ledger = ledger_new();

	(void)state;
	check_leave_and_return(&model, ledger, "db3", NULL);
	ledger_free(ledger);
	model_free(model);
}

static void failing_moves_only_a_backends_own_slots(void **state)
{
	struct model *model = small_model(6);
	struct ledger *ledger = ledger_new();

	(void)state;
	check_leave_and_return(&model, ledger, "db5", "db5 ");
	ledger_free(ledger);
	model_free(model);
}

static void the_walk_goes_on_where_three_are_not_enough(void **state)
{
	struct model *model = small_model(9);
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "db1 db2 db4 db5 db6 db7 db8 ");
	uint16_t three = ledger_backend(ledger, "db", pool_backend(model_pool(model, "db"), "db3"));
	size_t of_three = 0;

	(void)state;
	check_owners(image);
	for (uint32_t slot = 0; slot < 251; slot++) {
		assert_int_not_equal(owner_of(&image->pools[0], slot), 0);
		of_three += owner_of(&image->pools[0], slot) == three;
	}
	assert_in_range(of_three, 60, 190);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

static void nobody_able_leaves_no_owner(void **state)
{
	struct model *model = small_model(2), *empty = small_model(0);
	struct ledger *ledger = ledger_new(), *other = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "db1 db2 "),
		     *none = must_image(empty, other, NULL, "");

	(void)state;
	for (uint32_t slot = 0; slot < 251; slot++) {
		assert_true(image->pools[0].words[slot] == 0);
		assert_true(none->pools[0].words[slot] == 0);
	}
	image_free(image);
	image_free(none);
	ledger_free(ledger);
	ledger_free(other);
	model_free(model);
	model_free(empty);
}

static void weight_nought_is_a_member_without_slots(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	struct image *image;
	uint16_t number;

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db2', 'weight': 0}");
	image = must_image(model, ledger, NULL, "");
	number = ledger_backend(ledger, "db", pool_backend(model_pool(model, "db"), "db2"));
	for (uint32_t slot = 0; slot < 251; slot++)
		assert_int_not_equal(owner_of(&image->pools[0], slot), number);
	assert_int_equal(image_backend(image, number)->entry.flags, SERVES);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

static void pools_that_did_not_change_share_their_words(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	struct image *before, *after;

	(void)state;
	operate(&model, "pool.add", "{'name': 'web', 'table_size': 251}");
	operate(&model, "backend.add", "{'pool': 'web', 'name': 'w1', 'address': '10.0.1.1'}");
	before = must_image(model, ledger, NULL, "");
	operate(&model, "backend.add", "{'pool': 'web', 'name': 'w2', 'address': '10.0.1.2'}");
	after = must_image(model, ledger, before, "");
	assert_ptr_equal(image_pool(before, "db")->words, image_pool(after, "db")->words);
	assert_ptr_not_equal(image_pool(before, "web")->words, image_pool(after, "web")->words);
	image_free(before); /* the later image holds what it shares */
	check_owners(after);
	image_free(after);
	ledger_free(ledger);
	model_free(model);
}

static void words_can_be_lent(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	struct image *before = must_image(model, ledger, NULL, ""), *after;
	static uint64_t live[251];

	(void)state;
	memcpy(live, before->pools[0].words, sizeof live);
	image_lend_words(before, 0, live, NULL);
	assert_ptr_equal(before->pools[0].words, live);
	after = must_image(model, ledger, before, "");
	assert_ptr_equal(after->pools[0].words, live);
	image_free(before);
	image_free(after);
	ledger_free(ledger);
	model_free(model);
}

static void hash_and_seed_are_in_the_digest(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "");
	uint64_t plain = image->pools[0].digest;

	(void)state;
	image_free(image);
	operate(&model, "pool.set", "{'name': 'db', 'hash': 'source'}");
	image = must_image(model, ledger, NULL, "");
	assert_true(image->pools[0].digest != plain);
	assert_int_equal(image->pools[0].table.hash, HF_HASH_SOURCE);
	image_free(image);
	operate(&model, "pool.set", "{'name': 'db', 'hash': '5tuple', 'seed': '00000000000000ff'}");
	image = must_image(model, ledger, NULL, "");
	assert_true(image->pools[0].digest != plain);
	assert_true(image->pools[0].table.seed == 0xff);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

/* A pool waits for flows that are remembered: the longest of its services, those apart that remember none. */
static void a_pool_waits_only_for_flows_that_are_remembered(void **state)
{
	struct model *model = small_model(2);
	struct ledger *ledger = ledger_new();
	static const struct {
		const char *track;
		uint32_t idle;
	} cases[] = {{"never", 600}, {"auto", 3600}, {"always", 3600}};

	(void)state;
	operate(&model, "service.set", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'idle': '10m'}");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct image *image;

		operate(&model, i ? "service.set" : "service.add",
			"{'proto': 'tcp', 'listen': '203.0.113.10:80', 'pool': 'db', 'track': '%s', 'idle': "
			"'1h'}",
			cases[i].track);
		image = must_image(model, ledger, NULL, "");
		assert_int_equal(image_pool(image, "db")->idle, cases[i].idle);
		image_free(image);
	}
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_name_owners_by_the_ledgers_numbers),
		cmocka_unit_test(models_made_in_different_orders_have_equal_images),
		cmocka_unit_test(draining_moves_only_a_backends_own_slots),
		cmocka_unit_test(failing_moves_only_a_backends_own_slots),
		cmocka_unit_test(the_walk_goes_on_where_three_are_not_enough),
		cmocka_unit_test(nobody_able_leaves_no_owner),
		cmocka_unit_test(weight_nought_is_a_member_without_slots),
		cmocka_unit_test(pools_that_did_not_change_share_their_words),
		cmocka_unit_test(words_can_be_lent),
		cmocka_unit_test(hash_and_seed_are_in_the_digest),
		cmocka_unit_test(a_pool_waits_only_for_flows_that_are_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
