/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

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
		cmocka_unit_test(idle_times_default_by_protocol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
