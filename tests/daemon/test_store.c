/* SPDX-License-Identifier: Apache-2.0 */
/* The store alone, in virtual time and beside another process that has its lock. */
#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/models.h"
#include "core/config/model_json.h"
#include "core/schema/schema.h"
#include "daemon/store/store.h"

enum { BACKENDS = 1000, MINUTES = 24 * 60, MINUTE = 60 * 1000 /* ms */, MEBIBYTE = 1 << 20 };

static const int64_t began = 1796000000000;
static const struct store_limits usual = {.count = 100, .age = 7 * INT64_C(86400000), .bytes = 64 * MEBIBYTE};

struct place {
	char directory[40], path[64];
	struct store *store;
};

static void open_place(struct place *place, const struct store_limits *limits)
{
	struct refusal refusal = {0};

	if (store_open(place->path, limits, &place->store, &refusal))
		fail_msg("%s", refusal.what);
	store_wait(place->store, false);
}

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof *place);

	/* No disk: what is written is looked at, not how long a sync takes. */
	strcpy(place->directory, "/dev/shm/holdfast-store-XXXXXX");
	assert_non_null(mkdtemp(place->directory));
	snprintf(place->path, sizeof place->path, "%s/test.db", place->directory);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	static const char *const endings[] = {"", "-wal", "-shm"};
	struct place *place = *state;
	char name[96];

	store_close(place->store);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		snprintf(name, sizeof name, "%s%s", place->path, endings[i]);
		unlink(name);
	}
	rmdir(place->directory);
	free(place);
	return 0;
}

static int64_t file_size(const struct place *place, const char *ending)
{
	struct stat status;
	char name[96];

	snprintf(name, sizeof name, "%s%s", place->path, ending);
	assert_int_equal(stat(name, &status), 0);
	return status.st_size;
}

static struct model *large_model(void)
{
	json_t *backends = json_array(), *arguments;
	struct model *model, *empty = model_new(0x6f1c9a3e5b7d2048);
	struct refusal refusal = {0};

	for (int i = 0; i < BACKENDS; i++)
		json_array_append_new(backends,
				      json_pack("{s:o, s:o}", "name", json_sprintf("b%d", i), "address",
						json_sprintf("10.100.%d.%d", i / 250, i % 250 + 1)));
	arguments =
		json_pack("{s:{s:i, s:s, s:[{s:s, s:s}], s:[{s:s, s:i, s:o}]}}", "configuration", "version",
			  1, "seed", "6f1c9a3e5b7d2048", "services", "listen", "tcp 203.0.113.10:80", "pool",
			  "p", "pools", "name", "p", "table_size", 2039, "backends", backends);
	if (operation_apply(empty, "model.apply", arguments, began, &model, &refusal))
		fail_msg("%s (%s; %s)", refusal.what, refusal.where, refusal.right);
	json_decref(arguments);
	model_free(empty);
	return model;
}

/* One change of a weight, at this minute: 25 member sets, for each change looks at those that there were. */
static void change_weight(struct model **model, int minute)
{
	json_t *arguments =
		json_pack("{s:s, s:s, s:i}", "pool", "p", "name", "b7", "weight", 101 + minute % 25);
	struct refusal refusal = {0};
	struct model *next;

	if (operation_apply(*model, "backend.set", arguments, began + (int64_t)minute * MINUTE, &next,
			    &refusal))
		fail_msg("%s", refusal.what);
	json_decref(arguments);
	model_free(*model);
	*model = next;
}

static size_t commit_model(struct store *store, const struct model *model, uint32_t number, int64_t time)
{
	const struct generation generation = {
		.number = number, .time = time, .author = "root", .cause = "test"};
	json_t *json = model_write(model, SCHEMA_FACT), *ledger = number == 1 ? json_object() : NULL;
	char *text = json_dumps(json, JSON_COMPACT);
	const struct stored_change change = {.generation = &generation, .model = text, .ledger = ledger};
	struct refusal refusal = {0};
	size_t length = strlen(text);

	if (store_commit(store, &change, &refusal))
		fail_msg("%s", refusal.what);
	json_decref(json);
	json_decref(ledger);
	free(text);
	return length;
}

struct kept {
	uint32_t first, count, last;
};

/* Newest first, without a gap. */
static int look_at(const struct generation *generation, void *context)
{
	struct kept *kept = context;

	if (kept->count++)
		assert_int_equal(generation->number, kept->first - 1);
	else
		kept->last = generation->number;
	kept->first = generation->number;
	return 0;
}

static void test_a_day_of_one_change_a_minute(void **state)
{
	struct place *place = *state;
	struct model *model = large_model();
	struct generation generation;
	struct kept kept = {0};
	json_t *oldest;
	size_t largest = 0;

	open_place(place, &usual);
	for (int minute = 0; minute < MINUTES; minute++) {
		size_t length =
			commit_model(place->store, model, minute + 1, began + (int64_t)minute * MINUTE);

		largest = length > largest ? length : largest;
		assert_int_equal(store_prune(place->store), 0);
		change_weight(&model, minute + 1);
	}
	store_generations(place->store, look_at, &kept, NULL);
	printf("= %d changes in a day, one a minute, %d backends, up to %zu KiB each: the database has %lld "
	       "KiB, "
	       "its log %lld KiB, generations %u to %u\n",
	       MINUTES, BACKENDS, largest >> 10, (long long)file_size(place, "") >> 10,
	       (long long)file_size(place, "-wal") >> 10, kept.first, kept.last);
	assert_true(file_size(place, "") <= (int64_t)usual.bytes);
	assert_true(file_size(place, "-wal") <= 8 * MEBIBYTE);
	assert_int_equal(kept.last, MINUTES);
	assert_true(kept.count >= usual.count && kept.count <= 1000);
	assert_int_equal(store_generation(place->store, kept.first, &generation, &oldest, NULL), 0);
	assert_int_equal(generation.time, began + (int64_t)(kept.first - 1) * MINUTE);
	json_decref(oldest);
	model_free(model);
}

static void test_number_is_a_bound_too(void **state)
{
	struct place *place = *state;
	struct model *model = small_model(3);
	struct kept kept = {0};

	open_place(place, &usual);
	for (uint32_t number = 1; number <= 1100; number++)
		commit_model(place->store, model, number, began);
	store_generations(place->store, look_at, &kept, NULL);
	assert_int_equal(kept.count, 1000);
	assert_int_equal(kept.last, 1100);
	model_free(model);
}

static void test_the_newest_ten_are_kept_whatever_their_size(void **state)
{
	struct place *place = *state;
	const struct store_limits little = {.count = 100, .age = usual.age, .bytes = MEBIBYTE / 2};
	struct model *model = large_model();
	struct kept kept = {0};

	open_place(place, &little);
	for (uint32_t number = 1; number <= 30; number++)
		commit_model(place->store, model, number, began);
	store_generations(place->store, look_at, &kept, NULL);
	assert_int_equal(kept.last, 30);
	assert_int_equal(kept.count, 10);
	model_free(model);
}

/* Generation 2 was committed, and is refused while another process has the lock. */
static sqlite3 *refuse_the_second(struct place *place)
{
	const struct generation first = {.number = 1, .time = began}, second = {.number = 2, .time = began};
	json_t *before = json_pack("{s:i}", "ledger", 1), *after = json_pack("{s:i}", "ledger", 2);
	struct fact fact = {.pool = "p", .name = "b", .state = HEALTH_DOWN};
	const struct stored_change one = {.generation = &first, .model = "{}", .ledger = before},
				   two = {&second, "{}", after, &fact};
	struct stored_change undone = {&second, NULL, before, &fact};
	struct refusal refusal = {0};
	sqlite3 *other;

	assert_int_equal(address_parse("10.0.0.1", &fact.address), 0);
	open_place(place, &usual);
	assert_int_equal(store_commit(place->store, &one, &refusal), 0);
	assert_int_equal(store_commit(place->store, &two, &refusal), 0);
	assert_int_equal(sqlite3_open(place->path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(store_hold(place->store, &refusal), -ENOLCK);
	fact.state = HEALTH_UNKNOWN;
	assert_int_equal(store_withdraw(place->store, &undone, &refusal), -ENOLCK);
	json_decref(before);
	json_decref(after);
	return other;
}

static int count_fact(const struct fact *fact, void *context)
{
	(void)fact;
	++*(int *)context;
	return 0;
}

static void assert_latest(struct store *store, uint32_t number, json_int_t ledger_is)
{
	struct generation generation;
	json_t *model, *ledger;
	struct refusal refusal = {0};
	int facts = 0;

	assert_int_equal(store_latest(store, &generation, &model, &ledger, &refusal), 0);
	assert_int_equal(generation.number, number);
	assert_int_equal(json_integer_value(json_object_get(ledger, "ledger")), ledger_is);
	assert_int_equal(store_facts(store, count_fact, &facts, &refusal), 0);
	assert_int_equal(facts, 0);
	json_decref(model);
	json_decref(ledger);
}

static void test_what_was_refused_is_taken_back_when_it_can_be(void **state)
{
	struct place *place = *state;
	sqlite3 *other = refuse_the_second(place);

	struct kept kept = {0};

	assert_true(store_watch(place->store)->what[0]);
	assert_int_equal(store_generations(place->store, look_at, &kept, NULL), 0);
	assert_int_equal(kept.last, 1);
	sqlite3_close(other);
	assert_false(store_watch(place->store)->what[0]);
	assert_latest(place->store, 1, 1);
}

static void test_what_was_refused_is_taken_back_with_the_next_commit(void **state)
{
	struct place *place = *state;
	sqlite3 *other = refuse_the_second(place);
	const struct generation again = {.number = 2, .time = began, .cause = "again"};
	const struct stored_change change = {.generation = &again, .model = "{}"};
	struct generation found;
	struct refusal refusal = {0};

	sqlite3_close(other);
	assert_int_equal(store_commit(place->store, &change, &refusal), 0);
	assert_latest(place->store, 2, 1);
	assert_int_equal(store_generation(place->store, 2, &found, NULL, &refusal), 0);
	assert_string_equal(found.cause, "again");
}

int main(void)
{
#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
	const struct CMUnitTest tests[] = {
		IN_PLACE(test_a_day_of_one_change_a_minute),
		IN_PLACE(test_number_is_a_bound_too),
		IN_PLACE(test_the_newest_ten_are_kept_whatever_their_size),
		IN_PLACE(test_what_was_refused_is_taken_back_when_it_can_be),
		IN_PLACE(test_what_was_refused_is_taken_back_with_the_next_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
