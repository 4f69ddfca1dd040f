// SPDX-License-Identifier: Apache-2.0
#include "plan_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/field.h"

static void print_slots(double moved, double slots, const char *word)
{
	char percent[QUANTITY_TEXT], count[QUANTITY_TEXT], all[QUANTITY_TEXT];

	printf("%s of %s slots %s (%s %%)", count_text(moved, count), count_text(slots, all), word,
	       percent_text(slots > 0 ? moved / slots : 0, percent));
}

void plan_print_moved(const json_t *plan)
{
	double moved = 0, slots = 0;
	bool rebuilt = false;
	json_t *pool;
	size_t i;

	json_array_foreach (json_object_get(plan, "pools"), i, pool) {
		/* A pool that comes or goes moves nothing from one backend to another. */
		if (strcmp(field_text(pool, "change"), "change"))
			continue;
		moved += field_number(pool, "moved");
		slots += field_number(pool, "slots");
		rebuilt = rebuilt || json_is_true(json_object_get(pool, "rebuilt"));
	}
	if (!slots)
		return;
	printf(", ");
	print_slots(moved, slots, "moved");
	if (rebuilt)
		printf(", flows have other slots than before");
}

void plan_print_replaced(const json_t *plan)
{
	json_t *replaced;
	size_t i;

	json_array_foreach (json_object_get(plan, "replaced"), i, replaced)
		printf("backend %s/%s changes its address: the one at %s drains first, then leaves; the new "
		       "one "
		       "takes its place\n",
		       field_text(replaced, "pool"), field_text(replaced, "name"),
		       field_text(replaced, "before"));
}

/* New flows that would go elsewhere. An older daemon does not say which are unseen. */
static void plan_print_opened(const json_t *pool)
{
	bool unseen = json_is_true(json_object_get(pool, "flows_unseen"));
	char text[QUANTITY_TEXT];

	if (!field_is_null(pool, "new_per_second"))
		printf(", with %s%s new flows a second", unseen ? "at least " : "",
		       field_quantity(pool, "new_per_second", text));
	else if (unseen)
		printf(", with an unknown number of new flows a second");
	if (unseen)
		printf(" (UDP is counted only with --track always)");
}

static void plan_print_pool(const json_t *pool)
{
	const char *change = field_text(pool, "change");
	char text[QUANTITY_TEXT];

	printf("pool %s: ", field_text(pool, "name"));
	if (!strcmp(change, "add") || !strcmp(change, "remove")) {
		printf("%s, %s slots\n", *change == 'a' ? "added" : "removed",
		       field_count(pool, "slots", text));
		return;
	}
	print_slots(field_number(pool, "moved"), field_number(pool, "slots"), "would move");
	if (field_number(pool, "needless") > 0)
		printf(", %s of them between backends that stay", field_count(pool, "needless", text));
	plan_print_opened(pool);
	if (!field_is_null(pool, "remembered"))
		printf(", %s remembered flows on them", field_count(pool, "remembered", text));
	if (json_is_true(json_object_get(pool, "rebuilt")))
		printf(", and every flow would have another slot");
	putchar('\n');
}

void plan_print(const json_t *plan)
{
	const json_t *backends = json_object_get(plan, "backends");
	double added = field_number(backends, "added"), removed = field_number(backends, "removed");
	json_t *pool;
	size_t i;

	plan_print_replaced(plan);
	json_array_foreach (json_object_get(plan, "pools"), i, pool)
		plan_print_pool(pool);
	if (added || removed)
		printf("backends: %.0f added, %.0f removed\n", added, removed);
	if (json_is_true(json_object_get(plan, "services")))
		printf("services: changed\n");
}

double plan_greatest_share(const json_t *plan)
{
	double greatest = 0;
	json_t *pool;
	size_t i;

	json_array_foreach (json_object_get(plan, "pools"), i, pool) {
		double slots = field_number(pool, "slots");
		double share = slots > 0 ? field_number(pool, "moved") / slots : 0;

		if (!strcmp(field_text(pool, "change"), "change") && share > greatest)
			greatest = share;
	}
	return greatest;
}

static void print_key_value(const char *key, const json_t *value)
{
	char moment[MOMENT_TEXT], *text;

	if (!strcmp(key, "deadline")) {
		double at = json_number_value(value) / 1000;

		printf("%s", at > 0 ? moment_text(at, moment) : "none");
		return;
	}
	text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	printf("%s", text ? text : json_is_string(value) ? json_string_value(value) : "?");
	free(text);
}

static void print_difference(const json_t *difference)
{
	const char *change = field_text(difference, "change"), *between = "  ", *key;
	json_t *keys = json_object_get(difference, "keys"), *values;

	printf("%c %s %s",
	       *change == 'a'   ? '+'
	       : *change == 'r' ? '-'
				: '~',
	       field_text(difference, "noun"), field_text(difference, "name"));
	json_object_foreach (keys, key, values) {
		const json_t *before = json_object_get(values, "before"),
			     *after = json_object_get(values, "after");

		/* What names it has been said. */
		if (!strcmp(key, "name") || !strcmp(key, "listen"))
			continue;
		printf("%s%s ", between, key);
		if (before)
			print_key_value(key, before);
		if (before && after)
			printf(" -> ");
		if (after)
			print_key_value(key, after);
		between = ", ";
	}
	putchar('\n');
}

bool differences_print(const json_t *differences)
{
	json_t *difference;
	size_t i;

	json_array_foreach (differences, i, difference)
		print_difference(difference);
	return json_array_size(differences) > 0;
}
