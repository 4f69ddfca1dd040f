/* SPDX-License-Identifier: Apache-2.0 */
/* The words for a value that schema_read() does not take. */
#include <errno.h>
#include <stdio.h>

#include "core/value/nearest.h"
#include "core/value/slot_range.h"
#include "diagnosis.h"
#include "schema.h"

enum { SAID_TEXT = QUOTED_TEXT };

/* The value as it was said: texts in quotes, structures by their kind. */
static const char *said(const json_t *value, char text[SAID_TEXT])
{
	if (json_is_string(value))
		return quote(json_string_value(value), text);
	if (json_is_integer(value))
		snprintf(text, SAID_TEXT, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(text, SAID_TEXT, "%.15g", json_real_value(value));
	else
		snprintf(text, SAID_TEXT, "%s",
			 json_is_boolean(value)  ? (json_is_true(value) ? "true" : "false")
			 : json_is_array(value)  ? "a list"
			 : json_is_object(value) ? "a mapping"
						 : "nothing");
	return text;
}

struct diagnosis schema_diagnose(const struct schema_key *key, const char *text)
{
	switch (key->type) {
	case SCHEMA_NAME:
		return diagnose_name(text);
	case SCHEMA_NUMBER:
	case SCHEMA_TIME:
		return diagnose_number(text, key->low, key->high);
	case SCHEMA_DURATION:
		return diagnose_duration(text, (uint32_t)key->low, (uint32_t)key->high);
	case SCHEMA_PERCENT:
		return diagnose_percent(text, key->low, key->high);
	case SCHEMA_SEED:
		return diagnose_seed(text);
	case SCHEMA_ADDRESS:
		return diagnose_address(text);
	case SCHEMA_SOURCE:
		return diagnose_source(text);
	case SCHEMA_LISTEN:
		return diagnose_listen(text);
	case SCHEMA_RANGES:
		return diagnose_ranges(text, SLOTS_MOST - 1);
	default:
		return (struct diagnosis){0};
	}
}

/* Takes numbers as such, so that one is at fault for its value, not for its kind. */
static bool is_numeric(const struct schema_key *key)
{
	return key->type == SCHEMA_NUMBER || key->type == SCHEMA_TIME || key->type == SCHEMA_DURATION ||
	       key->type == SCHEMA_PERCENT;
}

static struct diagnosis find_fault(const struct schema_key *key, const json_t *value)
{
	char number[SAID_TEXT];

	if (json_is_string(value))
		return schema_diagnose(key, json_string_value(value));
	if (!json_is_number(value))
		return (struct diagnosis){0};
	return is_numeric(key) ? schema_diagnose(key, said(value, number))
			       : diagnosis("is a number, not text");
}

/* All choices, and the one that was probably meant. */
static void choice_right(const struct schema_key *key, const char *text, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(text);
	char all[192];

	for (unsigned int i = 0; schema_word(key, i); i++)
		nearest_offer(&nearest, schema_word(key, i));
	if (nearest.best)
		refusal_right(refusal, "%s (did you mean %s?)", schema_describe(key, all, sizeof all),
			      nearest.best);
}

void schema_refuse(const struct schema_key *key, const json_t *value, bool out_of_range,
		   struct refusal *refusal)
{
	struct diagnosis fault = out_of_range ? (struct diagnosis){0} : find_fault(key, value);
	char text[SAID_TEXT], right[192];

	refuse(refusal, -EINVAL, out_of_range ? "%s %s is out of range%s%s" : "%s cannot be %s%s%s",
	       key->name, said(value, text), *fault.why ? ", which " : "", fault.why);
	refusal_right(refusal, "%s", *fault.right ? fault.right : schema_describe(key, right, sizeof right));
	if (key->type == SCHEMA_CHOICE && json_is_string(value))
		choice_right(key, json_string_value(value), refusal);
}
