/* SPDX-License-Identifier: Apache-2.0 */
#include "told.h"

#include "core/view/view.h"

static const struct tally nothing = {.packets = -1, .bytes = -1, .flows = -1};

static void what_nobody_knows_of_a_backend_is_null(void **state)
{
	struct backend_state backend = {.pool = "#",
					.name = "#1",
					.tally = &nothing,
					.based = -1,
					.remembered = -1,
					.closing = -1,
					.counted = -1,
					.heard = -1,
					.number = 1,
					.note = "takes no new flows"};

	(void)state;
	assert_int_equal(address_parse("10.0.0.1", &backend.address), 0);
	assert_told(backend_view(&backend),
		    "{'pool':'#','name':'#1','address':'10.0.0.1','weight':null,'zone':null,'admin':null,"
		    "'health':'unknown','health_rule':'auto','health_author':null,'health_since':null,"
		    "'slots':0,'share':0.0,'since':null,'deadline':null,'removing':null,'based':null,"
		    "'remembered':null,'closing':null,'counted':null,'heard':null,'new_per_second':null,"
		    "'packets_per_second':null,'bits_per_second':null,'packets':0,'bytes':0,'flows':0,"
		    "'flows_unseen':false,'number':1,'next_hop':null,'note':'takes no new flows'}");
}

static void a_backend_is_told_with_what_is_stated_of_it(void **state)
{
	struct model *model = small_model(1);
	const struct backend *configured = &model->pools[0].backends[0];
	struct tally none = {.seen = true};
	struct backend_state backend = {.pool = "db",
					.name = configured->name,
					.address = configured->address,
					.configured = configured,
					.health = HEALTH_DOWN,
					.health_author = "root",
					.health_since = 1796000000500,
					.slots = 64,
					.pool_slots = 256,
					.tally = &none,
					.since = 1000,
					.counted = 200,
					.number = 7,
					.note = ""};
	json_t *view = backend_view(&backend);

	(void)state;
	json_object_del(view, "address");
	assert_told(view, "{'pool':'db','name':'db1','weight':100,'zone':'','admin':'active',"
			  "'health':'down','health_rule':'down','health_author':'root',"
			  "'health_since':1796000000.5,'slots':64,'share':0.25,'since':1.0,'deadline':null,"
			  "'removing':false,'based':0,'remembered':0,'closing':0,'counted':0.2,'heard':0,"
			  "'new_per_second':0.0,'packets_per_second':0.0,'bits_per_second':0.0,'packets':0,"
			  "'bytes':0,'flows':0,'flows_unseen':false,'number':7,'next_hop':null,'note':''}");
	backend.drained = true;
	view = backend_view(&backend);
	assert_string_equal(json_string_value(json_object_get(view, "admin")), "drained");
	json_decref(view);
	model_free(model);
}

static void a_next_hop_says_where_packets_go_or_why_not(void **state)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 0xff};
	struct next_hop_state hop = {
		.interface = "eth0", .mac = mac, .mtu = 1500, .resolved = true, .held = -1};
	struct address gateway;

	(void)state;
	assert_told(next_hop_view(NULL), "null");
	assert_told(next_hop_view(&hop), "{'interface':'eth0','mac':'02:00:00:00:00:ff','gateway':null,"
					 "'mtu':1500,'resolved':true,'problem':null,'held':null}");
	assert_int_equal(address_parse("fe80::1", &gateway), 0);
	hop = (struct next_hop_state){.gateway = &gateway, .mtu = -1, .problem = "no route", .held = 1500};
	assert_told(next_hop_view(&hop), "{'interface':null,'mac':null,'gateway':'fe80::1','mtu':null,"
					 "'resolved':false,'problem':'no route','held':1.5}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_knows_of_a_backend_is_null),
		cmocka_unit_test(a_backend_is_told_with_what_is_stated_of_it),
		cmocka_unit_test(a_next_hop_says_where_packets_go_or_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
