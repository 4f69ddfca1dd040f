/* SPDX-License-Identifier: Apache-2.0 */
#include "operation_signature.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/schema/schema.h"
#include "core/value/nearest.h"

enum { ARGUMENTS_MOST = 40 };

struct named_argument {
	char name[NAME_SIZE];
	bool optional;
};

static const struct named_argument *find_argument(const struct named_argument *list, size_t count,
						  const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	return NULL;
}

/* The words of the row, then the other keys of its schema that are no state. */
static size_t list_arguments(const struct operation_type *type, struct named_argument list[ARGUMENTS_MOST])
{
	const struct schema_key *key = type->keys ? type->keys->keys : NULL;
	size_t count = 0;

	for (const char *word = type->arguments; *word && count < ARGUMENTS_MOST; word += *word == ' ') {
		size_t length = strcspn(word, " ");
		bool optional = word[length - 1] == '?';

		snprintf(list[count].name, NAME_SIZE, "%.*s", (int)(length - optional), word);
		list[count++].optional = optional;
		word += length;
	}
	for (; key && key->name && count < ARGUMENTS_MOST; key++) {
		if (key->type == SCHEMA_LIST || (key->flags & SCHEMA_STATE) ||
		    find_argument(list, count, key->name))
			continue;
		snprintf(list[count].name, NAME_SIZE, "%s", key->name);
		list[count++].optional = true;
	}
	return count;
}

const char *signature_text(const struct operation_type *type, char text[SIGNATURE_TEXT])
{
	struct named_argument list[ARGUMENTS_MOST];
	size_t count = list_arguments(type, list), length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count && length < SIGNATURE_TEXT; i++)
		length += (size_t)snprintf(text + length, SIGNATURE_TEXT - length, "%s%s%s", i ? " " : "",
					   list[i].name, list[i].optional ? "?" : "");
	return text;
}

static int refuse_arguments(const struct operation_type *type, struct refusal *refusal)
{
	char text[SIGNATURE_TEXT];

	refusal_where(refusal, "%s", type->word);
	refusal_right(refusal, "the arguments %s", signature_text(type, text));
	return -EINVAL;
}

static int refuse_unknown(const struct operation_type *type, const struct named_argument *list, size_t count,
			  const char *name, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(name);

	for (size_t i = 0; i < count; i++)
		nearest_offer(&nearest, list[i].name);
	refuse(refusal, -EINVAL, "unknown argument %.64s", name);
	refuse_arguments(type, refusal);
	nearest_right(&nearest, refusal, NULL);
	return -EINVAL;
}

int signature_check(const struct operation_type *type, const json_t *arguments, struct refusal *refusal)
{
	struct named_argument list[ARGUMENTS_MOST];
	size_t count = list_arguments(type, list);
	const char *name;
	json_t *value;

	if (!json_is_object(arguments)) {
		refuse(refusal, -EINVAL, "the arguments are not an object");
		return refuse_arguments(type, refusal);
	}
	json_object_foreach ((json_t *)arguments, name, value)
		if (!find_argument(list, count, name))
			return refuse_unknown(type, list, count, name, refusal);
	for (size_t i = 0; i < count; i++) {
		if (list[i].optional || json_object_get(arguments, list[i].name))
			continue;
		refuse(refusal, -EINVAL, "%s is missing", list[i].name);
		return refuse_arguments(type, refusal);
	}
	return 0;
}
