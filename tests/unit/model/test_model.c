/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"
#include "core/config/model_json.h"

#include <errno.h>

static void a_copy_is_apart(void **state)
{
	struct model *model = small_model(2), *copy = model_copy(model);

	(void)state;
	pool_backend(model_pool(copy, "db"), "db1")->weight = 9;
	copy->services[0].idle = 9;
	assert_int_equal(pool_backend(model_pool(model, "db"), "db1")->weight, WEIGHT_DEFAULT);
	assert_int_equal(model->services[0].idle, 0);
	model_free(model);
	model_free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_is_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
