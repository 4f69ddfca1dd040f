/* SPDX-License-Identifier: Apache-2.0 */
#include "told.h"

#include "core/view/number_name.h"
#include "core/view/view.h"

static void numbers_that_nobody_knows_are_shown(void **state)
{
	struct names names = {ledger_new(), model_new(1)};
	char text[NUMBER_NAME];
	const char *pool, *name;

	(void)state;
	backend_number_names(&names, 3, &pool, &name, text);
	assert_string_equal(pool, "#");
	assert_string_equal(name, "#3");
	assert_string_equal(backend_number_name(&names, 3, text), "#/#3");
	assert_string_equal(pool_number_name(&names, 2, text), "#2");
	ledger_free((struct ledger *)names.ledger);
	model_free((struct model *)names.model);
}

/* As the directory has it, of a service that the model states. */
static void check_service(const char *listen)
{
	struct model *model = small_model(1);
	struct ledger *ledger = ledger_new();
	uint32_t counters, ordinals;
	struct service found;
	struct image *image;
	char text[LISTEN_TEXT], expected[LISTEN_TEXT];

	operate(&model, "service.add", "{'proto': 'udp', 'listen': '%s', 'pool': 'db', 'idle': 90}", listen);
	image = must_image(model, ledger, NULL, "");
	for (size_t i = 0; i < model->service_count; i++) {
		const struct service *service = &model->services[i];

		assert_true(directory_service(&image->directory,
					      ledger_service(ledger, service, &counters, &ordinals), &found));
		assert_string_equal(listen_text(&found.listen, text),
				    listen_text(&service->listen, expected));
		assert_int_equal(found.idle, service_idle(service));
		assert_int_equal(found.track, service->track);
	}
	assert_false(directory_service(&image->directory, 999, &found));
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

static void a_directory_tells_the_services_that_it_was_made_of(void **state)
{
	(void)state;
	check_service("203.0.113.11:53");
	check_service("203.0.113.11:5000-5999");
	check_service("203.0.113.11:1-65535");
	check_service("203.0.113.11:any");
	check_service("[2001:db8::7]:80-90");
}

static void slots_that_are_alike_are_one_range(void **state)
{
	struct names names = {ledger_new(), model_new(1)};
	const uint64_t words[] = {1, 1, 2, 2 | 1ULL << 16 | 1ULL << 56, 0};

	(void)state;
	assert_told(slots_view(&names, "db", words, 5, NULL),
		    "{'pool':'db','slots':5,'ranges':["
		    "{'first':0,'last':1,'owner':'#1','moving':false,'base':null},"
		    "{'first':2,'last':2,'owner':'#2','moving':false,'base':null},"
		    "{'first':3,'last':3,'owner':'#2','moving':true,'base':'#1'},"
		    "{'first':4,'last':4,'owner':null,'moving':false,'base':null}]}");
	ledger_free((struct ledger *)names.ledger);
	model_free((struct model *)names.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_that_nobody_knows_are_shown),
		cmocka_unit_test(a_directory_tells_the_services_that_it_was_made_of),
		cmocka_unit_test(slots_that_are_alike_are_one_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
