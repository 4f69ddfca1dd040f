/* SPDX-License-Identifier: Apache-2.0 */
/* Two balancers with one configuration name the same former owners, whatever their clocks say. */
#include "unit/models.h"

#include <errno.h>

#include "core/config/config.h"
#include "core/model/history.h"

#define DAY  ((int64_t)24 * 3600 * 1000)
#define YEAR (365 * DAY)

enum { SLOTS = 251 };

static void change(struct model **model, int64_t now, const char *word, const char *arguments)
{
	struct refusal refusal = {0};
	char text[512];
	struct model *after;
	json_t *json;

	snprintf(text, sizeof text, "%s", arguments);
	for (char *at = text; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	if (operation_apply(*model, word, json, now, &after, &refusal) != 0)
		fail_msg("%s %s: %s (%s)", word, text, refusal.what, refusal.where);
	json_decref(json);
	model_free(*model);
	*model = after;
}

static void weigh(struct model **model, int64_t now, const char *name, int weight)
{
	char text[128];

	snprintf(text, sizeof text, "{'pool': 'db', 'name': '%s', 'weight': %d}", name, weight);
	change(model, now, "backend.set", text);
}

static const char add_service[] = "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'pool': 'db'}",
		  remove_service[] = "{'proto': 'tcp', 'listen': '203.0.113.10:5432'}";

static struct model *hops_model(void)
{
	struct model *model = small_model(12);

	change(&model, 1, "pool.set", "{'name': 'db', 'encap': 'gue'}");
	return model;
}

/* What a balancer that starts with this model at this time names. */
struct named {
	uint64_t digest;
	struct hf_hops hops[SLOTS];
};

static struct named look(const struct model *model, int64_t wall)
{
	const struct moment moment = {.now = 100, .wall = wall};
	struct ledger *ledger = ledger_new();
	struct refusal refusal = {0};
	struct image *image;
	struct named named = {0};

	assert_int_equal(ledger_assign(ledger, model, HF_DEFAULT_COUNTERS, &refusal), 0);
	assert_int_equal(image_build(model, ledger, NULL, &moment, &image, &refusal), 0);
	named.digest = image_pool(image, "db")->history_digest;
	if (image_pool(image, "db")->hops)
		memcpy(named.hops, image_pool(image, "db")->hops, sizeof named.hops);
	image_free(image);
	ledger_free(ledger);
	return named;
}

static void assert_same(const struct named *a, const struct named *b)
{
	assert_true(a->digest == b->digest);
	assert_memory_equal(a->hops, b->hops, sizeof a->hops);
}

static void equal_models_give_equal_hops_at_any_time(void **state)
{
	static const int64_t skews[] = {-YEAR, -DAY, DAY, 8 * DAY, 30 * YEAR};
	struct model *model = hops_model();
	struct named named, other;

	(void)state;
	weigh(&model, YEAR, "db1", 0);
	change(&model, YEAR + DAY, "backend.drain", "{'pool': 'db', 'name': 'db2'}");
	weigh(&model, YEAR + 2 * DAY, "db3", 300);
	named = look(model, YEAR + 2 * DAY);
	assert_true(named.digest != 0);
	for (size_t i = 0; i < sizeof skews / sizeof *skews; i++) {
		other = look(model, YEAR + 2 * DAY + skews[i]);
		assert_same(&named, &other);
	}
	model_free(model);
}

/* The newest set is one with this weight of db1, and behind it are those with the weights before. */
static void assert_weights(const struct model *model, int newest, size_t count)
{
	assert_int_equal(model->history_count, count);
	for (size_t i = 0; i < count; i++) {
		char word[32];

		snprintf(word, sizeof word, "db1*%d ", newest - (int)i);
		assert_non_null(strstr(model->history[i].members, word));
	}
}

static void no_step_of_the_clock_empties_the_history(void **state)
{
	/* There and back, within a day: ten years ahead, fifty back, as it was. */
	static const int64_t clocks[] = {
		0,        1000, 10 * YEAR, 10 * YEAR + 1000, 2000, -50 * YEAR, -50 * YEAR + 1000, 3000, 4000,
		3 * YEAR, 5000, 6000};
	struct model *model = small_model(3);
	const int64_t start = 56 * YEAR;
	const int changes = sizeof clocks / sizeof *clocks;

	(void)state;
	weigh(&model, start - 1000, "db1", 200);
	for (int i = 0; i < changes; i++)
		weigh(&model, start + clocks[i], "db1", 201 + i);
	/* The newest record is the set before the last change; behind them all, "db1 db2 db3". */
	assert_int_equal(model->history_count, changes + 1);
	free(model->history[changes].members);
	model->history_count--;
	assert_weights(model, 200 + changes - 1, (size_t)changes);
	model_free(model);
}

/* Days go by without a change, and sets grow old all the same. */
static void sets_that_ended_seven_days_before_the_newest_are_over(void **state)
{
	struct model *model = small_model(3);

	(void)state;
	for (int i = 0; i < 20; i++)
		weigh(&model, YEAR + i * DAY, "db1", 200 + i);
	assert_weights(model, 218, 8);
	model_free(model);
}

static void balancers_that_are_told_the_same_name_the_same(void **state)
{
	static const struct {
		const char *word, *arguments;
	} commands[] = {
		{"backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 300}"},
		{"backend.drain", "{'pool': 'db', 'name': 'db2'}"},
		{"backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 50}"},
		{"backend.activate", "{'pool': 'db', 'name': 'db2'}"},
		{"backend.remove", "{'pool': 'db', 'name': 'db3', 'now': true}"},
		{"backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 40}"},
	};
	struct model *slow = hops_model(), *fast = hops_model(), *back = hops_model();
	struct named named, other;

	(void)state;
	for (int i = 0; i < (int)(sizeof commands / sizeof *commands); i++) {
		change(&slow, YEAR + i * 3600 * 1000, commands[i].word, commands[i].arguments);
		change(&fast, YEAR, commands[i].word, commands[i].arguments);
		change(&back, 2 * YEAR - i * DAY, commands[i].word, commands[i].arguments);
	}
	named = look(slow, YEAR);
	other = look(fast, YEAR);
	assert_same(&named, &other);
	other = look(back, YEAR);
	assert_same(&named, &other);
	model_free(slow);
	model_free(fast);
	model_free(back);
}

static void a_set_that_ends_between_two_services_counts(void **state)
{
	struct model *steady = hops_model(), *gap = hops_model();
	struct named named, other;

	(void)state;
	weigh(&steady, YEAR, "db1", 300);
	weigh(&steady, YEAR, "db2", 300);
	change(&gap, YEAR, "service.remove", remove_service);
	weigh(&gap, YEAR, "db1", 300);
	change(&gap, YEAR, "service.add", add_service);
	change(&gap, YEAR, "service.remove", remove_service);
	weigh(&gap, YEAR, "db2", 300);
	change(&gap, YEAR, "service.add", add_service);
	named = look(steady, YEAR);
	other = look(gap, YEAR);
	assert_true(named.digest != 0);
	assert_same(&named, &other);
	model_free(steady);
	model_free(gap);
}

/* A file takes the service away, and another the pool. */
static void a_pool_that_goes_after_its_service_leaves_its_set(void **state)
{
	struct model *model = hops_model();

	(void)state;
	change(&model, YEAR, "service.remove", remove_service);
	change(&model, YEAR, "pool.remove", "{'name': 'db'}");
	assert_int_equal(model->history_count, 1);
	assert_non_null(strstr(model->history[0].members, "db1 "));
	model_free(model);
}

/* Nobody's flows are where no service ever led. */
static void what_never_served_leaves_no_sets(void **state)
{
	struct model *model = small_model(2);

	(void)state;
	change(&model, YEAR, "pool.add", "{'name': 'spare'}");
	change(&model, YEAR, "backend.add", "{'pool': 'spare', 'name': 'a', 'address': '10.0.1.1'}");
	change(&model, YEAR, "backend.add", "{'pool': 'spare', 'name': 'b', 'address': '10.0.1.2'}");
	change(&model, YEAR, "pool.remove", "{'name': 'spare'}");
	assert_int_equal(model->history_count, 0);
	model_free(model);
}

static json_t *exported(const struct model *model, bool with_state)
{
	struct refusal refusal = {0};
	json_t *configuration;
	char *text;

	assert_int_equal(config_export(model, with_state, &text), 0);
	assert_int_equal(config_parse(text, strlen(text), &configuration, &refusal), 0);
	free(text);
	return configuration;
}

static void apply(struct model **model, json_t *configuration)
{
	json_t *arguments = json_pack("{so}", "configuration", configuration);
	char *text = json_dumps(arguments, 0);
	struct refusal refusal = {0};
	struct model *after;

	if (operation_apply(*model, "model.apply", arguments, YEAR, &after, &refusal) != 0)
		fail_msg("%s: %s (%s)", text, refusal.what, refusal.where);
	free(text);
	json_decref(arguments);
	model_free(*model);
	*model = after;
}

/* The mark goes through files: through one that says nothing of it, and to a neighbour. */
static void that_a_pool_once_served_is_known_after_files(void **state)
{
	struct model *here = hops_model(), *there = hops_model();
	struct named named, other;

	(void)state;
	change(&here, YEAR, "service.remove", remove_service);
	apply(&here, exported(here, false));
	change(&there, YEAR, "service.remove", remove_service);
	change(&there, YEAR, "pool.remove", "{'name': 'db'}");
	apply(&there, exported(here, true));
	weigh(&here, 2 * YEAR, "db1", 300);
	weigh(&there, 2 * YEAR, "db1", 300);
	change(&here, 2 * YEAR, "service.add", add_service);
	change(&there, 2 * YEAR, "service.add", add_service);
	named = look(here, YEAR);
	other = look(there, YEAR);
	assert_true(named.digest != 0);
	assert_same(&named, &other);
	model_free(here);
	model_free(there);
}

static void reweigh(struct model **model, int weight, int64_t now)
{
	weigh(model, now, "db1", weight);
}

static void the_history_is_newest_first_and_of_seven_days(void **state)
{
	struct model *model = small_model(2);
	const int64_t day = 24 * 3600 * 1000;
	const struct member_record *records;
	size_t count;

	(void)state;
	assert_int_equal(model->history_count, 0); /* no service led to the pool while it was filled */
	reweigh(&model, 101, day);
	reweigh(&model, 102, 2 * day);
	reweigh(&model, 103, 3 * day);
	records = history_of(model, "db", &count);
	assert_int_equal(count, 3);
	assert_string_equal(records[0].members, "db1*102 db2");
	assert_string_equal(records[2].members, "db1 db2");
	change(&model, 9 * day, "backend.drain", "{'pool': 'db', 'name': 'db1'}");
	records = history_of(model, "db", &count);
	assert_int_equal(model->history_count, 3);
	assert_string_equal(records[0].members, "db1*103 db2");
	assert_string_equal(records[1].members, "db1*102 db2");
	assert_string_equal(records[2].members, "db1*101 db2");
	reweigh(&model, 102, 9 * day + 1);
	records = history_of(model, "db", &count);
	assert_string_equal(records[0].members, "db1*103! db2"); /* whom new flows passed by */
	change(&model, 9 * day + 2, "backend.activate", "{'pool': 'db', 'name': 'db1'}");
	reweigh(&model, 101, 9 * day + 3); /* a set that was there before is there once, as the newest */
	records = history_of(model, "db", &count);
	assert_string_equal(records[0].members, "db1*102 db2");
	assert_string_equal(records[1].members, "db1*102! db2");
	assert_string_equal(records[2].members, "db1*103! db2");
	assert_string_equal(records[3].members, "db1*103 db2");
	model_free(model);
}

static void the_history_has_room_for_256_sets(void **state)
{
	struct model *model = small_model(2);
	const struct member_record *records;
	size_t count;

	(void)state;
	for (int i = 1; i <= 300; i++)
		reweigh(&model, 100 + i, i);
	records = history_of(model, "db", &count);
	assert_int_equal(count, HISTORY_MOST);
	assert_string_equal(records[0].members, "db1*399 db2");
	assert_string_equal(records[255].members, "db1*144 db2");
	model_free(model);
}

/* Drains and returns, one backend after the other, leave room for the members that were there before. */
static void drains_crowd_no_members_out(void **state)
{
	struct model *model = small_model(200);
	const struct member_record *records;
	size_t count;
	int64_t now = 1;

	(void)state;
	reweigh(&model, 50, now++);
	for (int i = 1; i <= 200; i++) {
		char name[64];

		snprintf(name, sizeof name, "{'pool': 'db', 'name': 'db%d'}", i);
		change(&model, now++, "backend.drain", name);
		change(&model, now++, "backend.activate", name);
	}
	records = history_of(model, "db", &count);
	assert_int_equal(count, 1 + HISTORY_VARIANTS + 1);
	assert_null(strchr(records[count - 1].members, '!'));
	assert_null(strstr(records[count - 1].members, "db1*50"));
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_models_give_equal_hops_at_any_time),
		cmocka_unit_test(no_step_of_the_clock_empties_the_history),
		cmocka_unit_test(sets_that_ended_seven_days_before_the_newest_are_over),
		cmocka_unit_test(balancers_that_are_told_the_same_name_the_same),
		cmocka_unit_test(a_set_that_ends_between_two_services_counts),
		cmocka_unit_test(a_pool_that_goes_after_its_service_leaves_its_set),
		cmocka_unit_test(what_never_served_leaves_no_sets),
		cmocka_unit_test(that_a_pool_once_served_is_known_after_files),
		cmocka_unit_test(the_history_is_newest_first_and_of_seven_days),
		cmocka_unit_test(the_history_has_room_for_256_sets),
		cmocka_unit_test(drains_crowd_no_members_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
