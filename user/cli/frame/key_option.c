// SPDX-License-Identifier: Apache-2.0
#include "key_option.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/schema/diagnosis.h"
#include "core/schema/schema.h"

enum { CHOICES_TEXT = 192, HELP_TEXT = 256 };

/* Of one verb; kept until the program ends. */
struct made {
	const struct verb *verb;
	struct option *options;
	struct made *next;
};

static struct made *all_made;

/* An option's name, with '-' for '_'. NULL: out of memory. */
static char *option_name_of(const struct schema_key *key)
{
	char *name = strdup(key->name);

	for (char *at = name; at && *at; at++)
		*at = *at == '_' ? '-' : *at;
	return name;
}

static const struct schema_key *key_of(const struct schema *schema, const char *option)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof name, "%s", option);
	for (char *at = name; *at; at++)
		*at = *at == '-' ? '_' : *at;
	return schema_find(schema, name);
}

/* The first sentence of the key's help as half a sentence, with scheme and default. */
static char *help_of(const struct schema_key *key)
{
	const char *end = strstr(key->help, ". ");
	int length = (int)(end ? (size_t)(end - key->help) : strlen(key->help) - 1);
	bool standard = key->standard && (key->type != SCHEMA_BOOL || key->value);
	char text[HELP_TEXT];

	snprintf(text, sizeof text, "%s%s%c%.*s%s%s", key->scheme ? key->scheme : "", key->scheme ? ": " : "",
		 tolower((unsigned char)key->help[0]), length - 1, key->help + 1,
		 standard ? "; default " : "", standard ? key->standard : "");
	return strdup(text);
}

/* "maglev stable ring". */
static char *choices_of(const struct schema_key *key)
{
	char text[CHOICES_TEXT] = "";

	for (unsigned int i = 0; schema_word(key, i); i++) {
		size_t length = strlen(text);

		snprintf(text + length, sizeof text - length, "%s%s", i ? " " : "", schema_word(key, i));
	}
	return strdup(text);
}

/* Fills what the row of an option does not say itself. */
static int option_from_key(struct option *option, const struct schema_key *key)
{
	option->key = key;
	option->kind = VALUE_KEY;
	if (!option->name)
		option->name = option_name_of(key);
	if (!option->help)
		option->help = help_of(key);
	if (key->type == SCHEMA_CHOICE) {
		option->kind = VALUE_WORD;
		option->choices = choices_of(key);
	} else if (key->type == SCHEMA_BOOL && key->value) {
		option->kind = VALUE_WORD;
		option->choices = "true false";
	} else if (key->type == SCHEMA_BOOL) {
		option->kind = VALUE_FLAG;
	} else {
		option->value = key->value;
	}
	return option->name && option->help && (option->kind != VALUE_WORD || option->choices) ? 0 : -ENOMEM;
}

/* Whether a verb with this schema has an option for the key: it is no state, and no word by its place. */
static bool is_option(const struct verb *verb, const struct schema_key *key)
{
	if (key->type == SCHEMA_LIST || (key->flags & SCHEMA_STATE))
		return false;
	for (const struct argument *argument = verb->arguments; argument && argument->name; argument++)
		if (argument->key && !strcmp(argument->key, key->name))
			return false;
	return strcmp(key->name, verb->keys->identity) != 0;
}

/* Room for all that a verb may have. */
static struct option *new_options(const struct verb *verb)
{
	size_t most = 1;

	for (const struct option *option = verb->options; option && option->name; option++)
		most++;
	for (const struct schema_key *key = verb->keys ? verb->keys->keys : NULL; key && key->name; key++)
		most++;
	return calloc(most, sizeof(struct option));
}

static int make_options(const struct verb *verb)
{
	struct option *options = new_options(verb), *at = options;
	struct made *made = malloc(sizeof *made);
	int error = options && made ? 0 : -ENOMEM;

	for (const struct option *option = verb->options; !error && option && option->name; option++) {
		*at = *option;
		error = at->keys ? option_from_key(at, key_of(at->keys, at->name)) : 0;
		at++;
	}
	for (const struct schema_key *key = verb->keys ? verb->keys->keys : NULL; !error && key && key->name;
	     key++) {
		if (!is_option(verb, key))
			continue;
		at->required = (key->flags & SCHEMA_REQUIRED) && !strcmp(verb->verb, "add");
		error = option_from_key(at++, key);
	}
	if (error)
		return error;
	*made = (struct made){verb, options, all_made};
	all_made = made;
	return 0;
}

int key_options_make(const struct program *program)
{
	for (size_t i = 0; program->nouns[i]; i++)
		for (const struct verb *verb = program->nouns[i]->verbs; verb->verb; verb++)
			if ((verb->options || verb->keys) && make_options(verb) < 0)
				return -ENOMEM;
	return 0;
}

const struct option *verb_options(const struct verb *verb)
{
	for (const struct made *made = all_made; made; made = made->next)
		if (made->verb == verb)
			return made->options;
	return verb->options;
}

const struct schema_key *argument_key(const struct verb *verb, const struct argument *argument)
{
	return argument->kind == VALUE_KEY ? schema_find(verb->keys, argument->key) : NULL;
}

int key_check(const struct schema_key *key, const char *text, struct refusal *refusal)
{
	struct diagnosis fault = diagnosis("is empty");
	char quoted[QUOTED_TEXT], right[CHOICES_TEXT];

	if (*text && !schema_check(key, text, &fault))
		return 0;
	refuse(refusal, -EINVAL, "%s %s", quote(text, quoted), fault.why);
	refusal_right(refusal, "%s", *fault.right ? fault.right : schema_describe(key, right, sizeof right));
	return -EINVAL;
}
