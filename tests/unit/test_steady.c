/* SPDX-License-Identifier: Apache-2.0 */
/* The instance's clock, and what is measured by it: no step of the host's clock changes either. */
#include "unit/models.h"

#include "core/config/config.h"
#include "core/config/model_json.h"
#include "core/value/steady.h"

#define BOOT    "5f6d1c0e-3a84-4d39-9a6f-0d1c2b3a4f50"
#define ANOTHER "0c9d8e7f-1111-4222-8333-444455556666"
#define YEAR    ((int64_t)365 * 24 * 3600 * 1000)

enum { HOUR = 3600 * 1000 };

static void it_begins_as_unix_time_and_monotonic_time_moves_it(void **state)
{
	struct steady steady;

	(void)state;
	steady_begin(&steady, NULL, BOOT, 5000, 56 * YEAR);
	assert_int_equal(steady_at(&steady, 5000), 56 * YEAR);
	assert_int_equal(steady_at(&steady, 5000 + HOUR), 56 * YEAR + HOUR);
	steady_begin(&steady, "nonsense", BOOT, 5000, 56 * YEAR);
	assert_int_equal(steady_at(&steady, 5000), 56 * YEAR);
}

static void a_restart_goes_on_whatever_the_hosts_clock_says(void **state)
{
	struct steady steady;
	char noted[STEADY_TEXT];

	(void)state;
	steady_begin(&steady, NULL, BOOT, 5000, 56 * YEAR);
	steady_note(&steady, 6000, noted);
	steady_begin(&steady, noted, BOOT, 5000 + HOUR, 3 * YEAR);
	assert_int_equal(steady_at(&steady, 5000 + HOUR), 56 * YEAR + HOUR);
}

static void a_reboot_goes_on_from_what_was_noted(void **state)
{
	struct steady steady;
	char noted[STEADY_TEXT];

	(void)state;
	steady_begin(&steady, NULL, BOOT, 5000, 56 * YEAR);
	steady_note(&steady, 5000 + HOUR, noted);
	steady_begin(&steady, noted, ANOTHER, 70, 60 * YEAR);
	assert_int_equal(steady_at(&steady, 70), 56 * YEAR + HOUR);
	assert_int_equal(steady_at(&steady, 71), 56 * YEAR + HOUR + 1);
	/* The kernel gives no id. */
	steady_begin(&steady, noted, "", 70, 60 * YEAR);
	assert_int_equal(steady_at(&steady, 70), 56 * YEAR + HOUR);
	steady_note(&steady, 80, noted);
	steady_begin(&steady, noted, "", 10, 60 * YEAR);
	assert_int_equal(steady_at(&steady, 10), 56 * YEAR + HOUR + 10);
}

static void it_never_goes_back(void **state)
{
	struct steady steady;
	char noted[STEADY_TEXT];

	(void)state;
	steady_begin(&steady, NULL, BOOT, 2 * HOUR, 56 * YEAR);
	steady_note(&steady, 2 * HOUR, noted);
	steady_begin(&steady, noted, BOOT, HOUR, 56 * YEAR);
	assert_int_equal(steady_at(&steady, HOUR), 56 * YEAR);
}

/* Exports ------------------------------------------------------------------------------ */

/* What an instance whose clock shows `clock` exports, as another reads it. */
static json_t *exported(struct model *model, int64_t clock)
{
	struct refusal refusal = {0};
	json_t *configuration;
	char *text;

	model->clock = clock;
	assert_int_equal(config_export(model, true, &text), 0);
	model->clock = 0;
	assert_int_equal(config_parse(text, strlen(text), &configuration, &refusal), 0);
	free(text);
	return configuration;
}

static void change(struct model **model, int64_t now, const char *word, json_t *arguments)
{
	struct refusal refusal = {0};
	struct model *after;

	assert_int_equal(operation_apply(*model, word, arguments, now, &after, &refusal), 0);
	json_decref(arguments);
	model_free(*model);
	*model = after;
}

static void drain(struct model **model, int64_t now, const char *name)
{
	change(model, now, "backend.drain",
	       json_pack("{ss ss ss}", "pool", "db", "name", name, "deadline", "1h"));
}

static void weigh(struct model **model, int64_t now, int weight)
{
	change(model, now, "backend.set",
	       json_pack("{ss ss si}", "pool", "db", "name", "db1", "weight", weight));
}

static int64_t deadline(const struct model *model, const char *name)
{
	return pool_backend(model_pool(model, "db"), name)->deadline;
}

static void apply(struct model **model, int64_t now, json_t *configuration)
{
	change(model, now, "model.apply", json_pack("{so}", "configuration", configuration));
}

/* The other's clock is ten years behind, or ahead. */
static void a_deadline_takes_along_what_is_left_of_it(void **state)
{
	static const int64_t clocks[] = {46 * YEAR, 66 * YEAR};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct model *here = small_model(3), *there = small_model(3);

		drain(&here, 56 * YEAR, "db2");
		apply(&there, clocks[i], exported(here, 56 * YEAR + HOUR / 4));
		assert_int_equal(deadline(there, "db2"), clocks[i] + HOUR * 3 / 4);
		assert_int_equal(there->clock, 0);
		model_free(here);
		model_free(there);
	}
}

/* Whatever a file says: no stamp overflows, and none becomes what stands for none. */
static void stamps_stay_in_their_range(void **state)
{
	(void)state;
	assert_int_equal(stamp_move(INT64_MAX, YEAR), INT64_MAX);
	assert_int_equal(stamp_move(INT64_MAX - YEAR, 2 * YEAR), INT64_MAX);
	assert_int_equal(stamp_move(YEAR, -2 * YEAR), 1);
	assert_int_equal(stamp_move(YEAR, INT64_MIN), 1);
	assert_int_equal(stamp_move(YEAR, 5), YEAR + 5);
	assert_int_equal(stamp_move(0, YEAR), 0);
}

/* What an instance exported, applied on it again, changes nothing, however much later. */
static void its_own_export_changes_nothing(void **state)
{
	struct model *model = small_model(3);
	json_t *before, *after, *configuration;

	(void)state;
	drain(&model, 56 * YEAR, "db2");
	weigh(&model, 56 * YEAR + 1000, 200);
	configuration = exported(model, 56 * YEAR + 2000);
	before = model_to_json(model);
	apply(&model, 56 * YEAR + HOUR, configuration);
	after = model_to_json(model);
	assert_true(json_equal(before, after));
	json_decref(before);
	json_decref(after);
	model_free(model);
}

/* One set that both know tells how far their clocks are apart, however old the file is. */
static void histories_are_laid_side_by_side_at_a_set_that_both_know(void **state)
{
	struct model *here = small_model(3), *there = small_model(3);
	const int64_t ahead = 9 * YEAR;
	json_t *configuration;

	(void)state;
	weigh(&here, 56 * YEAR, 200);
	weigh(&there, 56 * YEAR + ahead, 200);
	weigh(&there, 56 * YEAR + ahead + 1000, 300);
	configuration = exported(there, 56 * YEAR + ahead + 2000);
	weigh(&here, 56 * YEAR + 5000, 250); /* what was before ended after the neighbour's last */
	weigh(&here, 56 * YEAR + 6000, 300);
	apply(&here, 56 * YEAR + HOUR, configuration);
	assert_int_equal(here->history_count, 3);
	assert_string_equal(here->history[0].members, "db1*250 db2 db3");
	assert_string_equal(here->history[1].members, "db1*200 db2 db3");
	assert_string_equal(here->history[2].members, "db1 db2 db3");
	model_free(here);
	model_free(there);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_begins_as_unix_time_and_monotonic_time_moves_it),
		cmocka_unit_test(a_restart_goes_on_whatever_the_hosts_clock_says),
		cmocka_unit_test(a_reboot_goes_on_from_what_was_noted),
		cmocka_unit_test(it_never_goes_back),
		cmocka_unit_test(a_deadline_takes_along_what_is_left_of_it),
		cmocka_unit_test(stamps_stay_in_their_range),
		cmocka_unit_test(its_own_export_changes_nothing),
		cmocka_unit_test(histories_are_laid_side_by_side_at_a_set_that_both_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
