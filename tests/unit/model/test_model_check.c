/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

static void what_does_not_go_together_is_refused(void **state)
{
	struct model *model = small_model(2);

	(void)state;
	refused(&model, -EINVAL, "service.add",
		"{'proto': 'tcp', 'listen': '203.0.113.10:5000-6000', 'pool': 'db'}",
		"the ports of tcp 203.0.113.10:5000-6000 and 203.0.113.10:5432 overlap",
		"service tcp 203.0.113.10:5432", "ports that belong to one service");
	refused(&model, -EINVAL, "service.add",
		"{'proto': 'tcp', 'listen': '203.0.113.10:any', 'pool': 'db'}",
		"the ports of tcp 203.0.113.10:any and 203.0.113.10:5432 overlap",
		"service tcp 203.0.113.10:5432", "ports that belong to one service");
	refused(&model, -EINVAL, "service.add",
		"{'proto': 'tcp', 'listen': '203.0.113.10:5000-5432', 'pool': 'db'}",
		"the ports of tcp 203.0.113.10:5000-5432 and 203.0.113.10:5432 overlap",
		"service tcp 203.0.113.10:5432", "ports that belong to one service");
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:5000-5431', 'pool': 'db'}");
	operate(&model, "service.add", "{'proto': 'udp', 'listen': '203.0.113.10:any', 'pool': 'db'}");
	refused(&model, -EINVAL, "service.add", "{'proto': 'tcp', 'listen': '224.0.0.1:80', 'pool': 'db'}",
		"a service cannot listen on this address", "service tcp 224.0.0.1:80",
		"a unicast address that clients can reach");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'table_size': 65536}",
		"table size 65536 is not prime", "pool db", "a prime, such as 65521 or 65537");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'table_size': 250}",
		"table_size 250 is out of range", "pool db", "a number from 251 to 1048573");
	operate(&model, "pool.add", "{'name': 'mixed', 'encap': 'gue'}");
	operate(&model, "backend.add", "{'pool': 'mixed', 'name': 'a', 'address': '10.0.0.1'}");
	refused(&model, -EINVAL, "backend.add", "{'pool': 'mixed', 'name': 'b', 'address': '2001:db8::1'}",
		"IPv6 cannot be carried beside IPv4 in one pool with encap gue", "pool mixed, backend b",
		"backends of one family, or encap ipip: the hops that gue names are of one family");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'source': '2001:db8::/64'}",
		"source has no IPv4 address, but backend db1 is reached by IPv4", "pool db",
		"a prefix of each family: 192.0.2.0/24,2001:db8::/64");
	refused(&model, -EINVAL, "interface.attach", "{'name': 'eth0', 'mode': 'generic', 'share': true}",
		"share does not go with mode generic", "interface eth0", "mode native or auto, or no share");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db2', 'weight': 25000}");
	refused(&model, -EINVAL, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 1}",
		"weight 1 of member db1 would earn no slot of 251", "pool db, backend db1",
		"a weight of at least 100, weight 0, or a larger table");
	model_free(model);
}

static uint32_t slots_owned(const struct model *model)
{
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "");
	const struct pool_image *pool = image_pool(image, "db");
	uint32_t owned = 0;

	for (uint32_t slot = 0; slot < pool->table.size; slot++)
		owned += (pool->words[slot] & 0xffff) != 0;
	image_free(image);
	ledger_free(ledger);
	return owned;
}

static void without_any_weight_nobody_owns_a_slot(void **state)
{
	struct model *model = small_model(3);

	(void)state;
	for (int i = 1; i <= 3; i++)
		operate(&model, "backend.set", "{'pool': 'db', 'name': 'db%d', 'weight': 0}", i);
	assert_int_equal(slots_owned(model), 0);
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db2', 'weight': 1}");
	assert_int_equal(slots_owned(model), 251);
	model_free(model);
}

/* A leaving backend needs no slot: whether there is room for another does not depend on its drain. */
static void more_backends_than_slots_are_refused(void **state)
{
	struct model *model = small_model(0);
	struct refusal refusal = {0};

	(void)state;
	for (int i = 1; i <= 251; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'x%d', 'address': '10.1.%d.%d'}", i,
			i / 250, i % 250 + 1);
	assert_int_equal(slots_owned(model), 251);
	assert_int_equal(try_operation(&model, &refusal, "backend.add",
				       "{'pool': 'db', 'name': 'y', 'address': '10.2.0.1'}"),
			 -EINVAL);
	assert_string_equal(refusal.what, "252 backends with weight do not fit into 251 slots");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'x1'}");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'y', 'address': '10.2.0.1'}");
	assert_int_equal(slots_owned(model), 251);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_go_together_is_refused),
		cmocka_unit_test(without_any_weight_nobody_owns_a_slot),
		cmocka_unit_test(more_backends_than_slots_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
