/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

#include "core/value/slot_range.h"

static void a_text_has_one_form(void **state)
{
	static const struct {
		const char *text, *canonical;
	} cases[] = {
		{"db1=0-9,db2=10-19", "db1=0-9,db2=10-19"},
		{"db2=10-19,db1=0-9", "db1=0-9,db2=10-19"},
		{"db1=0-4,db1=5-9", "db1=0-9"},
		{"db1=0-4,db1=6-9", "db1=0-4,db1=6-9"},
		{"db1=7-7", "db1=7"},
		{"db1=0,db1=1,db2=2,db1=3", "db1=0-1,db2=2,db1=3"},
		{"a.b-c_d=1048572", "a.b-c_d=1048572"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *canonical;

		assert_int_equal(slot_ranges_canonical(cases[i].text, &canonical), 0);
		assert_string_equal(canonical, cases[i].canonical);
		free(canonical);
	}
}

static void even_names_no_range(void **state)
{
	char *canonical = (char *)"";

	(void)state;
	assert_int_equal(slot_ranges_canonical("even", &canonical), 0);
	assert_null(canonical);
}

static void what_is_no_assignment_is_refused(void **state)
{
	static const char *const texts[] = {
		"",          "db1",         "db1=",     "=0-9",           "db1=0-9,",
		",db1=0-9",  "db1=9-0",     "db1=x",    "db1=-9",         "db1=0-",
		"db1=0-9x",  "db1=0-9-10",  "db 1=0-9", "db1=0-9,db2=9-", "db1=0-9,db2=9-12",
		"db1=0,x=0", "db1=1048573", "db1= 0-9", "Even",           "db1=0-1048573",
	};
	char longest[NAME_SIZE + 8];
	char *canonical;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (slot_ranges_canonical(texts[i], &canonical) != -EINVAL)
			fail_msg("%s is read", texts[i]);
	memset(longest, 'x', sizeof longest);
	strcpy(longest + NAME_SIZE, "=0");
	assert_int_equal(slot_ranges_canonical(longest, &canonical), -EINVAL);
	assert_int_equal(slot_ranges_canonical(longest + 1, &canonical), 0);
	free(canonical);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_has_one_form),
		cmocka_unit_test(even_names_no_range),
		cmocka_unit_test(what_is_no_assignment_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
