/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

#include "core/config/model_json.h"
#include "core/review/objection.h"

struct heard {
	int count[3];
	struct objection last;
};

static int hear(const struct objection *objection, void *context)
{
	struct heard *heard = context;

	heard->count[objection->weight]++;
	heard->last = *objection;
	return 0;
}

static struct model *read_model(const char *services, const char *backends)
{
	struct refusal refusal = {0};
	struct model *model;
	char text[1024];
	json_t *json;

	snprintf(text, sizeof text,
		 "{'version': 1, 'seed': '6f1c9a3e5b7d2048', 'services': [%s], 'pools': [{'name': 'db', "
		 "'table_size': 251, 'backends': [%s]}]}",
		 services, backends);
	for (char *at = text; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	assert_int_equal(model_from_json(json, &model, &refusal), 0);
	json_decref(json);
	return model;
}

#define LOOP_SERVICE    "{'listen': 'udp 10.0.0.1:53', 'pool': 'db'}"
#define LOOP_BACKEND    "{'name': 'db1', 'address': '10.0.0.1'}"
#define LEAVING_BACKEND "{'name': 'db1', 'address': '10.0.0.1', 'admin': 'draining', 'removing': true}"
#define TWIN_BACKEND    "{'name': 'db2', 'address': '10.0.0.1'}"

/* A model that is read has what it has; only a change that brings it is refused. */
static void only_what_a_change_brings_is_objected_to(void **state)
{
	static const struct {
		const char *services_before, *backends_before, *services, *backends;
		int wrong, mistakes;
	} cases[] = {
		{"", "", LOOP_SERVICE, LOOP_BACKEND, 1, 0},
		{LOOP_SERVICE, "", LOOP_SERVICE, LOOP_BACKEND, 1, 0},
		{"", LOOP_BACKEND, LOOP_SERVICE, LOOP_BACKEND, 1, 0},
		{LOOP_SERVICE, LOOP_BACKEND, LOOP_SERVICE, LOOP_BACKEND, 0, 0},
		{LOOP_SERVICE, LOOP_BACKEND, LOOP_SERVICE, LOOP_BACKEND "," TWIN_BACKEND, 0, 1},
		{"", LOOP_BACKEND, "", LOOP_BACKEND "," TWIN_BACKEND, 0, 1},
		{"", LOOP_BACKEND "," TWIN_BACKEND, "", LOOP_BACKEND "," TWIN_BACKEND, 0, 0},
		{"", LOOP_BACKEND, "", TWIN_BACKEND, 0, 0},
		{"", LEAVING_BACKEND "," TWIN_BACKEND, "",
		 LEAVING_BACKEND "," TWIN_BACKEND ", {'name': 'db3', 'address': '10.0.0.1'}", 0, 1},
		{"", "", "", "{'name': 'db1', 'address': '::1'}", 1, 0},
		{"", "{'name': 'db2', 'address': '::1'}", "", "{'name': 'db1', 'address': '::1'}", 0, 0},
		{"", "", "{'listen': 'tcp [fe80::1]:80', 'pool': 'db'}", "", 1, 0},
		{"{'listen': 'tcp [fe80::1]:80', 'pool': 'db'}", "",
		 "{'listen': 'tcp [fe80::1]:81', 'pool': 'db'}", "", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct model *before = read_model(cases[i].services_before, cases[i].backends_before);
		struct model *after = read_model(cases[i].services, cases[i].backends);
		struct heard heard = {0};
		struct refusal refusal = {0};

		assert_int_equal(objections_visit(before, after, hear, &heard), 0);
		if (heard.count[OBJECTION_WRONG] != cases[i].wrong ||
		    heard.count[OBJECTION_MISTAKE] != cases[i].mistakes)
			fail_msg("case %zu: %d wrong, %d mistakes", i, heard.count[OBJECTION_WRONG],
				 heard.count[OBJECTION_MISTAKE]);
		assert_int_equal(objections_check(before, after, &refusal), cases[i].wrong ? -EINVAL : 0);
		assert_int_equal(objections_check(after, after, &refusal), 0);
		model_free(before);
		model_free(after);
	}
}

static void the_newcomer_of_two_at_one_address_is_named(void **state)
{
	struct model *before = read_model("", LOOP_BACKEND), *after;
	struct heard heard = {0};

	(void)state;
	after = read_model("", LOOP_BACKEND ", {'name': 'a', 'address': '10.0.0.1'}");
	assert_int_equal(objections_visit(before, after, hear, &heard), 0);
	assert_string_equal(heard.last.refusal.where, "pool db, backend a");
	assert_non_null(strstr(heard.last.refusal.what, "backend db1 has the address 10.0.0.1 already"));
	model_free(before);
	model_free(after);
}

static void a_leaving_backend_at_a_new_vip_goes_at_once(void **state)
{
	struct model *model = small_model(2);

	(void)state;
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1'}");
	assert_int_equal(model_pool(model, "db")->backend_count, 2);
	operate(&model, "service.add", "{'proto': 'udp', 'listen': '10.0.0.1:53', 'pool': 'db'}");
	assert_int_equal(model_pool(model, "db")->backend_count, 1);
	refused(&model, -EINVAL, "backend.add", "{'pool': 'db', 'name': 'db1', 'address': '10.0.0.1'}",
		"10.0.0.1 is a VIP of this instance, so packets for the backend would come back here",
		"pool db, backend db1", "a backend at an address that no service listens on");
	model_free(model);
}

/* What cannot work is refused when a change brings it, and whoever has it can change something else. */
static void sources_and_ports_that_cannot_work_are_refused(void **state)
{
	struct model *model = small_model(1);

	(void)state;
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'source': '192.0.0.0/2'}",
		"source 192.0.0.0/2 has addresses that are multicast (224.0.0.0/4)", "pool db",
		"a prefix without them, such as 192.0.2.0/24");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'source': '192.0.2.0/24,fe80::/64'}",
		"source fe80::/64 has addresses that are link-local (fe80::/10)", "pool db",
		"a prefix without them, such as 192.0.2.0/24");
	refused(&model, -EINVAL, "pool.set", "{'name': 'db', 'gue_port': 6080}",
		"gue_port 6080 has no effect with encap ipip", "pool db", "encap gue, or no gue_port");
	operate(&model, "pool.set", "{'name': 'db', 'gue_port': 6080, 'encap': 'gue'}");
	operate(&model, "pool.set", "{'name': 'db', 'encap': 'gre'}"); /* which forgets the port */
	assert_int_equal(prefix_parse("127.0.0.0/8", &model_pool(model, "db")->source4),
			 0); /* it was there */
	operate(&model, "pool.set", "{'name': 'db', 'grace': '1m'}");
	model_free(model);
}

static void an_address_in_ipv6_form_is_told_apart(void **state)
{
	struct model *model = small_model(1);

	(void)state;
	refused(&model, -EINVAL, "backend.add", "{'pool': 'db', 'name': 'x', 'address': '::10.0.0.9'}",
		"::10.0.0.9 is IPv4-compatible (::/96), and such addresses are out of use",
		"pool db, backend x", "10.0.0.9, if the IPv4 address is meant");
	model_free(model);
}

/* Notes: {track, idle} before and after, and how many there are. */
static void an_idle_time_that_does_harm_is_noted(void **state)
{
	static const struct {
		const char *before, *after;
		int notes;
	} cases[] = {
		{"", "'idle': 59", 1},
		{"", "'idle': 60", 0},
		{"'idle': 59", "'idle': 59", 0},
		{"'idle': 59", "'idle': 58", 1},
		{"", "'idle': 3600, 'track': 'never'", 1},
		{"'idle': 3600", "'idle': 3600, 'track': 'never'", 1},
		{"'track': 'never'", "'track': 'auto'", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct heard heard = {0};
		struct model *before, *after;
		char before_text[128], after_text[128];

		snprintf(before_text, sizeof before_text, "{'listen': 'tcp 10.7.0.1:53', 'pool': 'db'%s%s}",
			 *cases[i].before ? ", " : "", cases[i].before);
		snprintf(after_text, sizeof after_text, "{'listen': 'tcp 10.7.0.1:53', 'pool': 'db', %s}",
			 cases[i].after);
		before = read_model(before_text, LOOP_BACKEND);
		after = read_model(after_text, LOOP_BACKEND);
		assert_int_equal(objections_visit(before, after, hear, &heard), 0);
		if (heard.count[OBJECTION_NOTE] != cases[i].notes)
			fail_msg("case %zu: %d notes", i, heard.count[OBJECTION_NOTE]);
		model_free(before);
		model_free(after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_a_change_brings_is_objected_to),
		cmocka_unit_test(the_newcomer_of_two_at_one_address_is_named),
		cmocka_unit_test(a_leaving_backend_at_a_new_vip_goes_at_once),
		cmocka_unit_test(sources_and_ports_that_cannot_work_are_refused),
		cmocka_unit_test(an_address_in_ipv6_form_is_told_apart),
		cmocka_unit_test(an_idle_time_that_does_harm_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
