/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

static uint16_t number_of(const struct ledger *ledger, const struct model *model, const char *label)
{
	return ledger_backend(ledger, "db", pool_backend(model_pool(model, "db"), label));
}

/* Where a backend stands in a slot's hops; HF_MAX_HOPS: it does not. */
static unsigned int place_of(const struct hf_hops *hops, uint16_t number)
{
	for (unsigned int i = 0; i < hops->count; i++)
		if (hops->backend[i] == number)
			return i;
	return HF_MAX_HOPS;
}

/* A balancer that was not there knows nothing but the model: its packets name the older server too. */
static void hops_name_the_older_server_of_a_name(void **state)
{
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new();
	uint16_t new, old;
	struct image *image;
	const struct pool_image *pool;
	uint32_t owned = 0, former = 0;

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'encap': 'gue'}");
	operate(&model, "backend.set",
		"{'pool': 'db', 'name': 'db1', 'weight': 25}"); /* it was the owner of more */
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.2.1'}");
	image = must_image(model, ledger, NULL, "");
	pool = image_pool(image, "db");
	new = number_of(ledger, model, "db1");
	for (int generation = 0; generation < 2; generation++) {
		old = number_of(ledger, model, generation ? "db1@10.0.1.1" : "db1@10.0.0.1");
		for (uint32_t slot = 0; slot < pool->table.size; slot++) {
			const struct hf_hops *hops = &pool->hops[slot];

			assert_int_not_equal(pool->words[slot] & 0xffff, old);
			if ((pool->words[slot] & 0xffff) == new) {
				owned++;
				assert_int_equal(place_of(hops, new), 0);
				assert_in_range(place_of(hops, old), 1, 2);
			} else if (place_of(hops, new) < HF_MAX_HOPS) {
				former++;
				assert_true(place_of(hops, old) < HF_MAX_HOPS);
			}
		}
	}
	assert_true(owned > 20 && former > 50);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

/* The slots of the name move to the new server, and the old one is their base as long as it lives. */
static void the_older_server_is_the_base_of_its_slots(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	struct image *before = must_image(model, ledger, NULL, ""), *after, *later;
	uint16_t old = number_of(ledger, model, "db1"), new;
	uint32_t owned, based;

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}");
	after = must_image(model, ledger, before, "");
	new = number_of(ledger, model, "db1");
	assert_int_equal(number_of(ledger, model, "db1@10.0.0.1"), old);
	image_backend_slots(after, old, &owned, &based);
	assert_int_equal(owned, 0);
	assert_true(based > 60);
	assert_true(image_pool(before, "db")->digest == image_pool(after, "db")->digest);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1@10.0.0.1', 'now': true}");
	later = must_image(model, ledger, after, "");
	assert_true(image_pool(later, "db")->digest == image_pool(after, "db")->digest);
	image_backend_slots(later, new, &owned, &based);
	assert_true(owned > 60);
	image_free(before);
	image_free(after);
	image_free(later);
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hops_name_the_older_server_of_a_name),
		cmocka_unit_test(the_older_server_is_the_base_of_its_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
