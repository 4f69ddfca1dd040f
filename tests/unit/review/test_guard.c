/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"

#include <errno.h>

#include "core/review/guard.h"

/* Two pools in use: db with backends db1 and db2, and web with web1. */
static struct model *served_model(void)
{
	struct model *model = small_model(2);

	operate(&model, "pool.add", "{'name': 'web', 'table_size': 251}");
	operate(&model, "backend.add", "{'pool': 'web', 'name': 'web1', 'address': '10.0.1.1'}");
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:8000-8100', 'pool': 'web'}");
	operate(&model, "interface.attach", "{'name': 'eth0'}");
	return model;
}

static int guard(const struct changed *changed, bool whole, uint32_t limit, struct refusal *refusal)
{
	const struct guarded guarded = {
		changed->before, changed->after, changed->image_before, changed->image_after, changed->plan,
		limit,           whole};

	*refusal = (struct refusal){0};
	return guard_check(&guarded, refusal);
}

/* Refused for this, or let through where what is NULL. */
static void check_change(struct changed changed, bool whole, uint32_t limit, const char *where,
			 const char *what)
{
	struct refusal refusal;
	int error = guard(&changed, whole, limit, &refusal);

	if (what && (error != -EPERM || !strstr(refusal.what, what) || strcmp(refusal.where, where) != 0))
		fail_msg("%d: %s: %s, not %s: %s", error, refusal.where, refusal.what, where, what);
	if (!what && error)
		fail_msg("refused: %s: %s", refusal.where, refusal.what);
	if (what)
		assert_string_equal(refusal.kind, limit == GUARD_NO_LIMIT ? "breaks-flows" : "move-limit");
	change_release(&changed);
}

static void check_operation(const char *word, const char *arguments, bool whole, const char *where,
			    const char *what)
{
	check_change(change_of(served_model(), word, arguments), whole, GUARD_NO_LIMIT, where, what);
}

static void a_table_without_a_base_is_not_rebuilt(void **state)
{
	static const char resize[] = "{'name': 'db', 'table_size': 509}";
	struct model *model;

	(void)state;
	check_operation("pool.set", resize, false, NULL, NULL); /* the old table is the base */
	model = served_model();
	operate(&model, "service.set", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'track': 'never'}");
	check_change(change_of(model, "pool.set", resize), false, GUARD_NO_LIMIT, "pool db",
		     "100% would move");
	model = served_model();
	operate(&model, "service.remove", "{'proto': 'tcp', 'listen': '203.0.113.10:5432'}");
	check_change(change_of(model, "pool.set", resize), false, GUARD_NO_LIMIT, NULL, NULL);
}

static void somebody_is_left_to_take_new_flows(void **state)
{
	struct model *model;

	(void)state;
	check_operation("backend.drain", "{'pool': 'db', 'name': 'db1'}", false, NULL, NULL);
	check_operation("backend.drain", "{'pool': 'web', 'name': 'web1'}", false, "pool web",
			"no backend would be left to take new flows");
	check_operation("backend.set", "{'pool': 'web', 'name': 'web1', 'weight': 0}", false, "pool web",
			"no backend would be left to take new flows");
	model = served_model();
	operate(&model, "backend.drain", "{'pool': 'web', 'name': 'web1'}");
	check_change(change_of(model, "backend.disable", "{'pool': 'web', 'name': 'web1'}"), false,
		     GUARD_NO_LIMIT, NULL, NULL); /* nobody took any before */
}

static void ports_stay_with_their_pool(void **state)
{
	static const char move[] = "{'proto': 'tcp', 'listen': '203.0.113.10:8000-8100', 'pool': 'db'}";
	struct model *model;

	(void)state;
	check_operation("service.set", move, false, "service tcp 203.0.113.10:8000-8100",
			"flows of tcp 203.0.113.10:8000-8100 would leave pool web for pool db");
	model = served_model();
	operate(&model, "backend.disable", "{'pool': 'web', 'name': 'web1'}");
	check_change(change_of(model, "service.set", move), false, GUARD_NO_LIMIT, NULL, NULL);
}

/* The whole configuration of served_model(), with these services. */
static struct changed services_of(const char *services)
{
	struct model *before = served_model();
	char text[512];

	snprintf(text, sizeof text,
		 "{'configuration': {'version': 1, 'seed': '6f1c9a3e5b7d2048', 'interfaces': [{'name': "
		 "'eth0'}], 'pools': ["
		 "{'name': 'db', 'table_size': 251, 'backends': [{'name': 'db1', 'address': '10.0.0.1'}, "
		 "{'name': 'db2', 'address': '10.0.0.2'}]}, "
		 "{'name': 'web', 'table_size': 251, 'backends': [{'name': 'web1', 'address': "
		 "'10.0.1.1'}]}], 'services': [%s]}}",
		 services);
	return change_of(before, "model.apply", text);
}

#define DB           "{'listen': 'tcp 203.0.113.10:5432', 'pool': 'db'}"
#define WEB(ports)   "{'listen': 'tcp 203.0.113.10:" ports "', 'pool': 'web'}"
#define ENDS         "this ends the service on some or all of its ports"
#define WEB_SERVICE  "service tcp 203.0.113.10:8000-8100"
#define WEB_AT(port) "{'listen': 'tcp 203.0.113.11:" port "', 'pool': 'web'}"

static void a_whole_configuration_keeps_every_port(void **state)
{
	static const struct {
		const char *services, *where;
	} cases[] = {
		{DB "," WEB("8000-8100"), NULL},
		{DB "," WEB("8000-8050") "," WEB("8051-8100"), NULL},
		{DB "," WEB("7000-9000"), NULL},
		{DB, WEB_SERVICE},
		{WEB("8000-8100"), "service tcp 203.0.113.10:5432"},
		{DB "," WEB("8001-8100"), WEB_SERVICE},
		{DB "," WEB("8000-8099"), WEB_SERVICE},
		{DB "," WEB("8000-8050") "," WEB("8052-8100"), WEB_SERVICE},
		{DB "," WEB_AT("8000-8100"), WEB_SERVICE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		check_change(services_of(cases[i].services), true, GUARD_NO_LIMIT, cases[i].where,
			     cases[i].where ? ENDS : NULL);
		check_change(services_of(cases[i].services), false, GUARD_NO_LIMIT, NULL, NULL);
	}
}

static void a_whole_configuration_keeps_the_wrapping_and_the_interface(void **state)
{
	(void)state;
	check_operation("pool.set", "{'name': 'db', 'encap': 'gre'}", true, "pool db",
			"its packets would be wrapped by gre instead of ipip");
	check_operation("pool.set", "{'name': 'db', 'encap': 'gre'}", false, NULL, NULL);
	check_operation("interface.detach", "{'name': 'eth0'}", true, "interface eth0",
			"the last interface would be detached");
	check_operation("interface.detach", "{'name': 'eth0'}", false, NULL, NULL);
}

static void more_than_the_limit_does_not_move(void **state)
{
	static const char leave[] = "{'pool': 'db', 'name': 'db1', 'now': true}";

	(void)state;
	check_change(change_of(served_model(), "backend.remove", leave), false, 10, "pool db",
		     "of its slots");
	check_change(change_of(served_model(), "backend.remove", leave), false, 60, NULL, NULL);
	check_change(change_of(served_model(), "backend.remove", leave), false, GUARD_NO_LIMIT, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_without_a_base_is_not_rebuilt),
		cmocka_unit_test(somebody_is_left_to_take_new_flows),
		cmocka_unit_test(ports_stay_with_their_pool),
		cmocka_unit_test(a_whole_configuration_keeps_every_port),
		cmocka_unit_test(a_whole_configuration_keeps_the_wrapping_and_the_interface),
		cmocka_unit_test(more_than_the_limit_does_not_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
