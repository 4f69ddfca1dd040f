/* SPDX-License-Identifier: Apache-2.0 */
/* The status, and the lists that the counters share with it. */
#include "told.h"

#include "core/view/view.h"

static struct status_state blank(void)
{
	return (struct status_state){.instance = "default",
				     .host = "lb1",
				     .problems = json_array(),
				     .warnings = json_array(),
				     .flow_hash = -1,
				     .clock = -1,
				     .uptime = -1,
				     .interfaces = json_array(),
				     .services = json_array(),
				     .pools = json_array(),
				     .slots_used = 251,
				     .slots_limit = 1024};
}

static void what_nobody_knows_of_an_instance_is_null(void **state)
{
	struct status_state status = blank();

	(void)state;
	status.state = "offline";
	assert_told(status_view(&status),
		    "{'host':'lb1','instance':'default','version':null,'state':'offline','problems':[],"
		    "'generation':null,'seed':null,'flow_hash':null,'clock':null,'uptime':null,"
		    "'interfaces':[],'services':[],'pools':[],'flows':null,"
		    "'slots':{'used':251,'limit':1024},'warnings':[]}");
}

static void problems_degrade_an_instance(void **state)
{
	static const uint64_t counts[HF_FLOW_EVENTS] = {[HF_FLOW_REMEMBERED] = 9, [HF_FLOW_UNFIT] = 2};
	const uint64_t seed = 0x6f1c9a3e5b7d2048;
	struct status_state status = blank();

	(void)state;
	status.version = "0.1.0";
	status.generation = generation_view(42, 1796000000500, "root", "backend add db/db2");
	status.seed = &seed;
	status.flow_hash = 1;
	status.clock = 12500;
	status.uptime = 12500;
	status.flows = flows_view(3, 1, 1024, counts);
	json_array_append_new(status.problems, json_string("no interface is attached"));
	assert_told(status_view(&status),
		    "{'host':'lb1','instance':'default','version':'0.1.0','state':'degraded',"
		    "'problems':['no interface is attached'],'generation':{'number':42,"
		    "'time':1796000000.5,'author':'root','cause':'backend add db/db2'},"
		    "'seed':'6f1c9a3e5b7d2048','flow_hash':1,'clock':12500,'uptime':12.5,'interfaces':[],"
		    "'services':[],'pools':[],'flows':{'remembered':3,'closing':1,'limit':1024,'entered':9,"
		    "'evicted_opening':0,'evicted_closing':0,'evicted_established':0,'evicted_base':0,"
		    "'unfit':2,'unfit_packets':0},'slots':{'used':251,'limit':1024},'warnings':[]}");
	status = blank();
	assert_string_equal(json_string_value(json_object_get(status_view(&status), "state")), "ready");
}

static void interfaces_that_only_send_come_last_and_once(void **state)
{
	struct interface_state detached = {.name = "eth0",
					   .mode = "auto",
					   .state = "detached",
					   .program_id = -1,
					   .link_id = -1,
					   .problem = "it is not attached yet"};
	json_t *list = json_array();

	(void)state;
	json_array_append_new(list, interface_view(&detached));
	interfaces_add_sender(list, "eth0");
	interfaces_add_sender(list, "eth1");
	interfaces_add_sender(list, "eth1");
	assert_told(list, "[{'name':'eth0','mode':'auto','state':'detached','program':null,"
			  "'program_id':null,'link_id':null,'problem':'it is not attached yet'},"
			  "{'name':'eth1','mode':'-','state':'sends'}]");
}

static void every_reason_is_counted_under_its_word(void **state)
{
	struct tally reasons[HF_REASON_LIMIT] = {
		[HF_REASON_NO_SERVICE] = {.total = {.packets = 4, .bytes = 256}, .packets = -1}};
	json_t *view = counters_view(reasons_view(reasons), json_array(), json_array(), json_array()),
	       *reason;
	size_t i, found = 0;

	(void)state;
	json_array_foreach (json_object_get(view, "reasons"), i, reason) {
		if (strcmp(json_string_value(json_object_get(reason, "reason")), "no-service"))
			continue;
		assert_told(json_incref(reason), "{'reason':'no-service','verdict':'pass','packets':4,"
						 "'bytes':256,'packets_per_second':null}");
		found++;
	}
	assert_int_equal(found, 1);
	json_decref(view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_knows_of_an_instance_is_null),
		cmocka_unit_test(problems_degrade_an_instance),
		cmocka_unit_test(interfaces_that_only_send_come_last_and_once),
		cmocka_unit_test(every_reason_is_counted_under_its_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
