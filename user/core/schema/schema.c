/* SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/value/nearest.h"

const struct schema_key *schema_find(const struct schema *schema, const char *name)
{
	for (const struct schema_key *key = schema->keys; key->name; key++)
		if (strcmp(key->name, name) == 0)
			return key;
	return NULL;
}

void schema_defaults(const struct schema *schema, void *object)
{
	memset(object, 0, schema->size);
	for (const struct schema_key *key = schema->keys; key->name; key++)
		if (key->standard)
			schema_read_standard(key, (char *)object + key->offset);
}

int schema_unknown(const struct schema *schema, const char *name, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(name);
	char all[192];
	size_t length = 0;

	all[0] = '\0';
	for (const struct schema_key *key = schema->keys; key->name; key++) {
		nearest_offer(&nearest, key->name);
		if (length < sizeof all)
			length += (size_t)snprintf(all + length, sizeof all - length, "%s%s",
						   length ? ", " : "one of ", key->name);
	}
	refuse(refusal, -EINVAL, "unknown key %.64s", name);
	nearest_right(&nearest, refusal, all);
	return -EINVAL;
}

static int check_keys(const struct schema *schema, const json_t *json, const char **ret_key,
		      struct refusal *refusal)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)json, name, value) {
		if (!schema_find(schema, name)) {
			*ret_key = name;
			return schema_unknown(schema, name, refusal);
		}
	}
	for (const struct schema_key *key = schema->keys; key->name; key++) {
		char right[160];

		if (!(key->flags & SCHEMA_REQUIRED) || json_object_get(json, key->name))
			continue;
		refuse(refusal, -EINVAL, "%s is missing", key->name);
		refusal_right(refusal, "%s: %s", key->name, schema_describe(key, right, sizeof right));
		return -EINVAL;
	}
	return 0;
}

int schema_read_object(const struct schema *schema, void *object, const json_t *json, const char **ret_key,
		       struct refusal *refusal)
{
	const char *unused;
	int error;

	if (!ret_key)
		ret_key = &unused;
	*ret_key = NULL;
	if (!json_is_object(json)) {
		refuse(refusal, -EINVAL, "%s is not a mapping", schema->noun);
		refusal_right(refusal, "keys and values, such as {%s: ...}", schema->keys[0].name);
		return -EINVAL;
	}
	error = check_keys(schema, json, ret_key, refusal);
	if (error < 0)
		return error;
	schema_defaults(schema, object);
	for (const struct schema_key *key = schema->keys; key->name; key++) {
		const json_t *value = json_object_get(json, key->name);

		uint64_t of_file; /* the file's own keys are checked and forgotten */

		if (!value || key->type == SCHEMA_LIST)
			continue;
		*ret_key = key->name;
		error = schema_read(key, key->flags & SCHEMA_FILE ? &of_file : object, value, refusal);
		if (error < 0)
			return error;
	}
	*ret_key = NULL;
	return 0;
}

static json_t *write_key(const struct schema_key *key, const void *object)
{
	return key->flags & SCHEMA_FILE ? json_integer(key->high) : schema_write(key, object);
}

json_t *schema_write_object(const struct schema *schema, const void *object, unsigned int without)
{
	json_t *json = json_object();

	for (const struct schema_key *key = schema->keys; json && key->name; key++) {
		if (key->type == SCHEMA_LIST || (key->flags & without))
			continue;
		if ((key->flags & SCHEMA_QUIET) && schema_is_default(key, object))
			continue;
		if (json_object_set_new(json, key->name, write_key(key, object)) < 0) {
			json_decref(json);
			return NULL;
		}
	}
	return json;
}

static void describe_choice(const struct schema_key *key, char *text, size_t size)
{
	size_t length = 0;

	for (unsigned int i = 0; key->word(i) && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s",
					   i == 0             ? ""
					   : key->word(i + 1) ? ", "
							      : " or ",
					   key->word(i));
}

const char *schema_describe(const struct schema_key *key, char *text, size_t size)
{
	char low[DURATION_TEXT], high[DURATION_TEXT];
	static const char *const fixed[] = {
		[SCHEMA_BOOL] = "true or false",
		[SCHEMA_TIME] = "milliseconds since 1970",
		[SCHEMA_SEED] = "16 hexadecimal digits in quotes, as `holdfast seed` makes them",
		[SCHEMA_ADDRESS] = "the address of one host, such as 10.0.0.11 or 2001:db8::11",
		[SCHEMA_SOURCE] =
			"a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64",
		[SCHEMA_LISTEN] =
			"tcp or udp, an address and a port, a range or any, such as tcp 203.0.113.10:5432 "
			"or udp [2001:db8::1]:8000-8100",
		[SCHEMA_MEMBERS] = "names in order, each with *WEIGHT and @ZONE where it has them, such as "
				   "\"db1 db2*200 "
				   "db3@east\"",
		[SCHEMA_RANGES] = "every slot's owner, such as db1=0-8191,db2=8192-16383, or even",
		[SCHEMA_LIST] = "a list",
	};

	switch (key->type) {
	case SCHEMA_NAME:
		snprintf(text, size,
			 "%zu characters at most: letters, digits, '-', '_' and '.', the first a letter or "
			 "digit",
			 key->size - 1);
		break;
	case SCHEMA_NUMBER:
		if (key->low == key->high)
			snprintf(text, size, "%lld", (long long)key->low);
		else
			snprintf(text, size, "a number from %lld to %lld", (long long)key->low,
				 (long long)key->high);
		break;
	case SCHEMA_PERCENT:
		snprintf(text, size, "percent from %lld to %lld, with one digit behind the point at most",
			 (long long)key->low / 10, (long long)key->high / 10);
		break;
	case SCHEMA_DURATION:
		snprintf(text, size, "a time from %s to %s, such as 30s or 1h30m",
			 duration_text((uint32_t)key->low, low), duration_text((uint32_t)key->high, high));
		break;
	case SCHEMA_CHOICE:
		describe_choice(key, text, size);
		break;
	default:
		snprintf(text, size, "%s", fixed[key->type]);
	}
	return text;
}
