/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

static void near_misses_are_named(void **state)
{
	struct model *model = small_model(2);
	struct pool *pool = model_pool(model, "db");
	struct refusal refusal = {0};

	(void)state;
	assert_ptr_equal(named_pool(model, "db", &refusal), pool);
	assert_ptr_equal(pool_named_backend(pool, "db2", &refusal), pool_backend(pool, "db2"));
	assert_null(named_pool(model, "dbx", &refusal));
	assert_string_equal(refusal.what, "there is no pool dbx");
	assert_string_equal(refusal.right, "did you mean db?");
	assert_null(named_pool(model, "frontend", &refusal));
	assert_string_equal(refusal.right, "the name of a pool; `holdfast pool list` shows them");
	assert_null(pool_named_backend(pool, "bd2", &refusal));
	assert_string_equal(refusal.what, "there is no backend bd2");
	assert_string_equal(refusal.where, "pool db");
	assert_string_equal(refusal.right, "did you mean db2?");
	model_free(model);
}

/* A name alone is the member; a server that was replaced is called by name and address. */
static void a_replaced_backend_is_found_by_its_label(void **state)
{
	struct model *model = small_model(1);
	struct refusal refusal = {0};
	struct pool *pool;

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}");
	pool = model_pool(model, "db");
	assert_false(pool_named_backend(pool, "db1", &refusal)->replaced);
	assert_true(pool_named_backend(pool, "db1@10.0.0.1", &refusal)->replaced);
	assert_ptr_equal(pool_named_backend(pool, "db1@10.0.1.1", &refusal), pool_backend(pool, "db1"));
	assert_null(pool_named_backend(pool, "db1@10.0.2.1", &refusal));
	assert_string_equal(refusal.what, "there is no backend db1@10.0.2.1");
	model_free(model);
}

static void a_vip_is_found_whatever_its_ports_and_protocol(void **state)
{
	static const char *const vips[] = {"10.1.0.3", "10.1.0.1", "2001:db8::5"};
	struct model *model = small_model(1);
	struct address address;

	(void)state;
	for (int i = 0; i < 3; i++)
		operate(&model, "service.add", "{'proto': '%s', 'listen': '%s%s%s:%d', 'pool': 'db'}",
			i % 2 ? "udp" : "tcp", i == 2 ? "[" : "", vips[i], i == 2 ? "]" : "", 9 + i);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(address_parse(vips[i], &address), 0);
		assert_true(model_has_vip(model, &address));
		address.bytes[3] ^= 8;
		assert_false(model_has_vip(model, &address));
	}
	model_free(model);
}

static void idle_times_default_by_protocol(void **state)
{
	struct model *model = small_model(1);

	(void)state;
	operate(&model, "service.add", "{'proto': 'udp', 'listen': '203.0.113.10:53', 'pool': 'db'}");
	assert_int_equal(service_idle(&model->services[0]), TCP_IDLE_DEFAULT);
	assert_int_equal(service_idle(&model->services[1]), UDP_IDLE_DEFAULT);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_misses_are_named),
		cmocka_unit_test(a_replaced_backend_is_found_by_its_label),
		cmocka_unit_test(a_vip_is_found_whatever_its_ports_and_protocol),
		cmocka_unit_test(idle_times_default_by_protocol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
