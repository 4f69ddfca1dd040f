// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "unit/adoption/used_model.h"

static void a_ledger_that_gave_other_numbers_is_told(void **state)
{
	struct ledger *ledger = ledger_new(), *other = ledger_new();
	struct model *model = used_model(ledger);
	struct image *image = must_image(model, ledger, NULL, "");
	struct refusal refusal = {0};

	(void)state;
	assert_int_equal(ledger_knows(ledger, image, &refusal), 0);
	assert_int_equal(ledger_knows(other, image, &refusal), -ENOTRECOVERABLE);
	assert_true(refusal.what[0]);
	must_assign(other, model);
	assert_int_equal(ledger_knows(other, image, &refusal), -ENOTRECOVERABLE);
	ledger_free(ledger);
	ledger_free(other);
	image_free(image);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ledger_that_gave_other_numbers_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
