/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"
#include "core/config/model_json.h"

#include <errno.h>

static void verbs_change_what_they_say(void **state)
{
	struct model *model = small_model(2);
	struct backend *backend;

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': '250', 'zone': 'east'}");
	backend = pool_backend(model_pool(model, "db"), "db1");
	assert_int_equal(backend->weight, 250);
	assert_string_equal(backend->zone, "east");
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db1', 'deadline': '90s'}");
	backend = pool_backend(model_pool(model, "db"), "db1");
	assert_int_equal(backend->admin, ADMIN_DRAINING);
	assert_int_equal(backend->deadline, TEST_NOW + 90000);
	assert_int_equal(backend->since, TEST_NOW);
	operate(&model, "backend.activate", "{'pool': 'db', 'name': 'db1'}");
	backend = pool_backend(model_pool(model, "db"), "db1");
	assert_int_equal(backend->admin, ADMIN_ACTIVE);
	assert_int_equal(backend->deadline, 0);
	operate(&model, "backend.disable", "{'pool': 'db', 'name': 'db1'}");
	assert_int_equal(pool_backend(model_pool(model, "db"), "db1")->admin, ADMIN_DISABLED);
	operate(&model, "backend.health", "{'pool': 'db', 'name': 'db1', 'state': 'up'}");
	assert_int_equal(pool_backend(model_pool(model, "db"), "db1")->health, HEALTH_FORCED_UP);
	operate(&model, "service.set",
		"{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'track': 'never', 'idle': '1h'}");
	assert_int_equal(service_idle(&model->services[0]), 3600);
	operate(&model, "service.remove", "{'proto': 'tcp', 'listen': '203.0.113.10:5432'}");
	assert_int_equal(model->service_count, 0);
	operate(&model, "pool.remove", "{'name': 'db'}");
	assert_int_equal(model->pool_count, 0);
	operate(&model, "interface.attach", "{'name': 'eth0', 'share': true}");
	assert_true(model_interface(model, "eth0")->share);
	operate(&model, "interface.detach", "{'name': 'eth0'}");
	assert_int_equal(model->interface_count, 0);
	model_free(model);
}

static void what_is_so_already_is_no_error(void **state)
{
	struct model *model = small_model(2);
	json_t *before, *after;

	(void)state;
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db1'}");
	before = model_to_json(model);
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db1'}");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 100}");
	after = model_to_json(model);
	assert_true(json_equal(before, after));
	json_decref(before);
	json_decref(after);
	model_free(model);
}

static void wrong_arguments_are_refused_by_name(void **state)
{
	struct model *model = small_model(2);

	(void)state;
	refused(&model, -EINVAL, "backend.ad", "{}", "unknown operation backend.ad", "",
		"did you mean backend.add?");
	refused(&model, -EINVAL, "backend.add",
		"{'pool': 'db', 'name': 'db3', 'address': '10.0.0.3', 'wieght': 1}",
		"unknown argument wieght", "backend.add", "did you mean weight?");
	refused(&model, -EINVAL, "backend.add", "{'pool': 'db', 'name': 'db3'}", "address is missing",
		"backend.add", "the arguments pool name address weight? zone?");
	refused(&model, -EINVAL, "backend.add", "[]", "the arguments are not an object", "backend.add",
		"the arguments pool name address weight? zone?");
	refused(&model, -EINVAL, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 70000}",
		"weight 70000 is out of range", "pool db, backend db1", "a number from 0 to 65535");
	refused(&model, -EINVAL, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': -1}",
		"weight -1 is out of range", "pool db, backend db1", "a number from 0 to 65535");
	refused(&model, -EINVAL, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 1.5}",
		"weight cannot be 1.5, which is not a whole number", "pool db, backend db1",
		"a number from 0 to 65535");
	refused(&model, -EINVAL, "backend.set", "{'pool': 'db', 'name': 'db1', 'weight': [1]}",
		"weight cannot be a list", "pool db, backend db1", "a number from 0 to 65535");
	refused(&model, -EINVAL, "backend.add", "{'pool': 'db', 'name': '-x', 'address': '10.0.0.3'}",
		"name cannot be \"-x\", which begins with -", "pool db, backend -x",
		"63 characters at most: letters, digits, '-', '_' and '.', the first a letter or digit");
	refused(&model, -EINVAL, "backend.add", "{'pool': 'db', 'name': 'db3', 'address': '10.0.0'}",
		"address cannot be \"10.0.0\", which is not an IPv4 or IPv6 address", "pool db, backend db3",
		"the address of one host, such as 10.0.0.11 or 2001:db8::11");
	refused(&model, -EINVAL, "backend.health", "{'pool': 'db', 'name': 'db1', 'state': 'sick'}",
		"state cannot be \"sick\"", "pool db, backend db1", "auto, up or down");
	refused(&model, -EINVAL, "backend.drain", "{'pool': 'db', 'name': 'db1', 'deadline': 'soon'}",
		"deadline cannot be \"soon\", which has no number before soon", "pool db, backend db1",
		"a time from 1s to 30d, such as 30s or 1h30m");
	refused(&model, -EINVAL, "service.add",
		"{'proto': 'sctp', 'listen': '203.0.113.10:80', 'pool': 'db'}",
		"listen cannot be \"sctp 203.0.113.10:80\", which does not begin with tcp or udp", "",
		"tcp or udp, an address and a port, a range or any, such as tcp 203.0.113.10:5432 or "
		"udp [2001:db8::1]:8000-8100");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'source': '192.0.2.1/24'}",
		"source cannot be \"192.0.2.1/24\", which has host bits", "pool db",
		"192.0.2.0/24, or 192.0.2.1 for that address alone");
	model_free(model);
}

static void unknown_and_taken_names_are_refused(void **state)
{
	struct model *model = small_model(2);

	(void)state;
	refused(&model, -ENOENT, "backend.set", "{'pool': 'bd', 'name': 'db1'}", "there is no pool bd", "",
		"did you mean db?");
	refused(&model, -ENOENT, "backend.drain", "{'pool': 'db', 'name': 'dc1'}", "there is no backend dc1",
		"pool db", "did you mean db1?");
	refused(&model, -ENOENT, "backend.drain", "{'pool': 'db', 'name': 'web'}", "there is no backend web",
		"pool db", "the name of a backend; `holdfast backend list` shows them");
	refused(&model, -EEXIST, "backend.add", "{'pool': 'db', 'name': 'db1', 'address': '10.0.0.3'}",
		"backend db1 is there already", "pool db",
		"another name, or `holdfast backend set db/db1` to change it");
	refused(&model, -EEXIST, "pool.add", "{'name': 'db'}", "pool db is there already", "",
		"another name, or `holdfast pool set db` to change it");
	refused(&model, -EBUSY, "pool.remove", "{'name': 'db'}", "service tcp 203.0.113.10:5432 uses it",
		"pool db", "its services removed, or set to another pool, first");
	refused(&model, -ENOENT, "service.remove", "{'proto': 'udp', 'listen': '203.0.113.10:5432'}",
		"there is no service udp 203.0.113.10:5432", "",
		"a service with just these ports; `holdfast service list` shows them");
	refused(&model, -ENOENT, "service.add",
		"{'proto': 'udp', 'listen': '203.0.113.10:5432', 'pool': 'dbb'}", "there is no pool dbb",
		"service udp 203.0.113.10:5432", "did you mean db?");
	refused(&model, -ENOENT, "interface.detach", "{'name': 'eth0'}", "interface eth0 is not attached", "",
		"an attached interface; `holdfast interface list` shows them");
	model_free(model);
}

static void every_operation_is_in_the_table_once_and_explained(void **state)
{
	(void)state;
	for (const struct operation_type *a = operations; a->word; a++) {
		assert_non_null(a->apply);
		assert_int_equal(a->help[strlen(a->help) - 1], '.');
		for (const struct operation_type *b = operations; b < a; b++)
			assert_string_not_equal(a->word, b->word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verbs_change_what_they_say),
		cmocka_unit_test(what_is_so_already_is_no_error),
		cmocka_unit_test(wrong_arguments_are_refused_by_name),
		cmocka_unit_test(unknown_and_taken_names_are_refused),
		cmocka_unit_test(every_operation_is_in_the_table_once_and_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
