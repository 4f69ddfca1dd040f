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
