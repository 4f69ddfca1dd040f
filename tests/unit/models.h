/* SPDX-License-Identifier: Apache-2.0 */
/* Models for tests, made as an operator makes them: by operations. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/model_json.h"
#include "core/image/slot_count.h"
#include "core/ledger/ledger.h"
#include "core/model/model.h"
#include "core/operation/operation.h"
#include "core/image/plan.h"

enum { TEST_NOW = 1000000 };

/* One operation with arguments as JSON with ' for "; the result of operation_apply(), the model replaced on
 * 0. */
__attribute__((unused)) static int try_operation(struct model **model, struct refusal *refusal,
						 const char *word, const char *arguments)
{
	char text[512];
	struct model *after;
	json_t *json;
	int error;

	snprintf(text, sizeof text, "%s", arguments);
	for (char *at = text; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	error = operation_apply(*model, word, json, TEST_NOW, &after, refusal);
	json_decref(json);
	if (error == 0) {
		model_free(*model);
		*model = after;
	}
	return error;
}

__attribute__((format(printf, 3, 4), unused)) static void operate(struct model **model, const char *word,
								  const char *arguments, ...)
{
	struct refusal refusal = {0};
	char text[512];
	va_list args;

	va_start(args, arguments);
	vsnprintf(text, sizeof text, arguments, args);
	va_end(args);
	if (try_operation(model, &refusal, word, text) != 0)
		fail_msg("%s %s: %s (%s; %s)", word, text, refusal.what, refusal.where, refusal.right);
}

/* Refused with this error and these words; every word of `right` that is given must be there. */
__attribute__((unused)) static void refused(struct model **model, int error, const char *word,
					    const char *arguments, const char *what, const char *where,
					    const char *right)
{
	struct refusal refusal = {0};
	json_t *before = model_to_json(*model), *after;

	assert_int_equal(try_operation(model, &refusal, word, arguments), error);
	assert_string_equal(refusal.what, what);
	assert_string_equal(refusal.where, where);
	assert_string_equal(refusal.right, right);
	after = model_to_json(*model);
	assert_true(json_equal(before, after));
	json_decref(before);
	json_decref(after);
}

/* A pool db of backends db1 .. dbN at 10.0.0.1 .. , table of 251 slots, and a service in front of it. */
__attribute__((unused)) static struct model *small_model(int backends)
{
	struct model *model = model_new(0x6f1c9a3e5b7d2048);

	operate(&model, "pool.add", "{'name': 'db', 'table_size': 251}");
	for (int i = 1; i <= backends; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'db%d', 'address': '10.0.0.%d'}", i,
			i);
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'pool': 'db'}");
	return model;
}

/* Down since long ago are the backends whose names the context lists, with a space behind each. */
__attribute__((unused)) static struct health health_listed(void *context, const char *pool,
							   const struct backend *backend)
{
	char word[NAME_SIZE + 1];

	(void)pool;
	snprintf(word, sizeof word, "%s ", backend->name);
	return (struct health){.state = strstr(context, word) ? HEALTH_DOWN : HEALTH_UP};
}

__attribute__((unused)) static void must_assign(struct ledger *ledger, const struct model *model)
{
	struct refusal refusal = {0};

	if (ledger_assign(ledger, model, HF_DEFAULT_COUNTERS, &refusal) != 0)
		fail_msg("%s", refusal.what);
}

__attribute__((unused)) static struct image *must_image(const struct model *model, struct ledger *ledger,
							const struct image *before, const char *down)
{
	const struct moment moment = {
		.now = 100, .wall = TEST_NOW, .health = health_listed, .context = (void *)down};
	struct refusal refusal = {0};
	struct image *image;

	must_assign(ledger, model);
	if (image_build(model, ledger, before, &moment, &image, &refusal) != 0)
		fail_msg("%s", refusal.what);
	return image;
}

/* How many slots a backend owns, and for how many moving ones it is the base. */
__attribute__((unused)) static void count_slots(const struct image *image, uint16_t number,
						uint32_t *ret_owned, uint32_t *ret_based)
{
	static struct slot_count counts[HF_MAX_BACKENDS];

	slots_count(image, counts);
	*ret_owned = counts[number].owned;
	*ret_based = counts[number].based;
}

/* A small generator, so that a failing case is the same everywhere (xorshift64*, Vigna 2016). */
__attribute__((unused)) static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}
