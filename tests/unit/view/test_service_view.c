/* SPDX-License-Identifier: Apache-2.0 */
#include "told.h"

#include "core/view/view.h"

static const struct tally counted = {.total = {.packets = 10, .bytes = 2000, .flows = 3},
				     .packets = 5,
				     .bytes = 100,
				     .flows = 0.5,
				     .seen = true};

static void a_service_is_told_with_its_rates(void **state)
{
	struct model *model = small_model(2);
	struct service_state service = {
		.service = &model->services[0], .members = 2, .takers = 2, .up = 1, .tally = &counted};

	(void)state;
	assert_told(service_view(&service),
		    "{'service':'tcp 203.0.113.10:5432','proto':'tcp','listen':'203.0.113.10:5432',"
		    "'pool':'db','track':'auto','idle':7200,'up':1,'backends':2,'new_per_second':0.5,"
		    "'packets_per_second':5.0,'bits_per_second':800.0,'packets':10,'bytes':2000,'flows':3,"
		    "'flows_unseen':false}");
	model_free(model);
}

static void rates_that_nobody_knows_are_null(void **state)
{
	static const struct tally blind = {
		.total = {.packets = 10}, .packets = -1, .bytes = -1, .flows = -1, .unseen = true};
	struct model *model = small_model(1);
	struct service_state service = {.service = &model->services[0], .tally = &blind};
	json_t *view = service_view(&service);

	(void)state;
	assert_told(json_incref(json_object_get(view, "packets_per_second")), "null");
	assert_told(json_incref(json_object_get(view, "bits_per_second")), "null");
	assert_told(json_incref(json_object_get(view, "new_per_second")), "null");
	assert_told(json_incref(json_object_get(view, "flows")), "null");
	assert_told(json_incref(json_object_get(view, "packets")), "10");
	json_decref(view);
	model_free(model);
}

static void a_service_that_nobody_serves_is_a_problem(void **state)
{
	struct model *model = small_model(1);
	struct service_state service = {.service = &model->services[0], .members = 1, .takers = 1, .up = 1};
	json_t *problems = json_array();

	(void)state;
	service_append_problem(&service, problems);
	service.up = 0;
	service_append_problem(&service, problems);
	service.takers = 0;
	service_append_problem(&service, problems);
	assert_told(problems, "['service tcp 203.0.113.10:5432: no backend can be reached',"
			      "'service tcp 203.0.113.10:5432: no backend takes flows']");
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_service_is_told_with_its_rates),
		cmocka_unit_test(rates_that_nobody_knows_are_null),
		cmocka_unit_test(a_service_that_nobody_serves_is_a_problem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
