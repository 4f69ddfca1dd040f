/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

static void a_text_has_what_is_known(void **state)
{
	struct refusal refusal = {0};
	char text[REFUSAL_TEXT];

	(void)state;
	assert_int_equal(refuse(&refusal, -EBUSY, "%d slots would move", 7), -EBUSY);
	assert_string_equal(refusal_text(&refusal, text), "7 slots would move");
	refusal_where(&refusal, "pool %s", "db");
	assert_string_equal(refusal_text(&refusal, text), "pool db: 7 slots would move");
	refusal_right(&refusal, "%s", "--force");
	refusal_kind(&refusal, "move-limit");
	assert_string_equal(refusal_text(&refusal, text), "pool db: 7 slots would move: --force");
	assert_string_equal(refusal.kind, "move-limit");
}

/* A caller that wants no words gets the error alone. */
static void nobody_needs_to_hear_it(void **state)
{
	(void)state;
	assert_int_equal(refuse(NULL, -EINVAL, "no"), -EINVAL);
	refusal_where(NULL, "pool %s", "db");
	refusal_right(NULL, "yes");
	refusal_kind(NULL, "move-limit");
	assert_int_equal(refusal_complete(NULL, -ENOMEM), -ENOMEM);
}

static void every_refusal_has_a_sentence(void **state)
{
	struct refusal refusal = {0};

	(void)state;
	assert_int_equal(refusal_complete(&refusal, 0), 0);
	assert_string_equal(refusal.what, "");
	assert_int_equal(refusal_complete(&refusal, -ENOMEM), -ENOMEM);
	assert_string_equal(refusal.what, "there is not enough memory: nothing was changed");
	assert_int_equal(refusal_complete(&refusal, -EACCES), -EACCES);
	assert_string_equal(refusal.what, "there is not enough memory: nothing was changed");
	refuse(&refusal, -EACCES, "%s", "");
	refusal_complete(&refusal, -EACCES);
	assert_string_equal(refusal.what, "Permission denied");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_has_what_is_known),
		cmocka_unit_test(nobody_needs_to_hear_it),
		cmocka_unit_test(every_refusal_has_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
