// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <errno.h>
#include <string.h>

#include "core/schema/schema.h"
#include "key_option.h"

/* Takes any text at all: only its help can say what would be right. */
static bool option_is_free(const struct option *option)
{
	return option->kind == VALUE_TEXT || option->kind == VALUE_FILE;
}

enum { DESCRIBED_TEXT = 256 };

static const char *describe_value(enum value_kind kind, const struct schema_key *key,
				  char text[DESCRIBED_TEXT])
{
	return kind == VALUE_KEY ? schema_describe(key, text, DESCRIBED_TEXT) : value_describe(kind);
}

static int check_value(enum value_kind kind, const struct schema_key *key, const char *text,
		       const char *choices, struct refusal *refusal)
{
	return kind == VALUE_KEY ? key_check(key, text, refusal) : value_check(kind, text, choices, refusal);
}

void option_right(const struct option *option, struct refusal *refusal)
{
	char text[DESCRIBED_TEXT];

	if (option->choices)
		refusal_right(refusal, "one of: %s", option->choices);
	else if (option_is_free(option))
		refusal_right(refusal, "%s, %s", option->value, option->help);
	else
		refusal_right(refusal, "%s", describe_value(option->kind, option->key, text));
}

int option_check(const struct option *option, const char *value, struct refusal *refusal)
{
	if (!check_value(option->kind, option->key, value, option->choices, refusal))
		return 0;
	if (option_is_free(option))
		option_right(option, refusal);
	refusal_where(refusal, "--%s", option->name);
	return -EINVAL;
}

/* The options given must be this verb's; from here on they point to its own rows. */
static int check_verb_options(struct call *call, struct refusal *refusal)
{
	char text[VERB_TEXT];
	int r;

	for (size_t i = 0; i < call->given_count; i++) {
		const char *name = call->given[i].option->name;
		const struct option *option = verb_option(call->verb, name);

		if (!option) {
			verb_text(call->noun, call->verb, text);
			refuse(refusal, -EINVAL, "`%s` has no option --%s", text, name);
			refusal_right(refusal, "`%s %s --help` shows those it has", call->program->name,
				      text);
			return -EINVAL;
		}
		call->given[i].option = option;
		if (call->given[i].value) {
			r = option_check(option, call->given[i].value, refusal);
			if (r)
				return r;
		}
	}
	return 0;
}

static int check_required(const struct call *call, struct refusal *refusal)
{
	char text[DESCRIBED_TEXT];

	for (const struct option *option = verb_options(call->verb); option && option->name; option++) {
		if (!option->required || call_flag(call, option->name))
			continue;
		refuse(refusal, -EINVAL, "--%s is missing", option->name);
		refusal_right(refusal, "%s: %s", option->help,
			      option->choices ? option->choices
					      : describe_value(option->kind, option->key, text));
		return -EINVAL;
	}
	return 0;
}

static int check_flags(const struct call *call, struct refusal *refusal)
{
	const char *name = NULL;
	char text[VERB_TEXT];

	if ((call->dry_run || call->force) && !(verb_flags(call->verb) & VERB_CHANGES))
		name = call->dry_run ? "dry-run" : "force";
	else if (call->offline && !(call->verb->flags & VERB_WORKS_OFFLINE))
		name = "offline";
	if (!name)
		return 0;
	refuse(refusal, -EINVAL, "--%s means nothing to `%s`", name, verb_text(call->noun, call->verb, text));
	refusal_right(refusal, "%s",
		      call->offline ? "--offline is for status, check, counters, why, `backend list` and "
				      "`interface detach --all`"
				    : "it is for commands that change something");
	return -EINVAL;
}

/* "as in `holdfast pool show db`" */
static void example_right(const struct call *call, struct refusal *refusal)
{
	char text[EXAMPLE_TEXT];

	refusal_right(refusal, "as in `%s`", example_text(call->program, call->noun, call->verb, text));
}

static int refuse_missing(const struct call *call, const struct argument *argument, struct refusal *refusal)
{
	char text[DESCRIBED_TEXT];

	refuse(refusal, -EINVAL, "%s is missing", argument->name);
	if (argument->choices)
		refusal_right(refusal, "one of: %s", argument->choices);
	else if (argument->kind == VALUE_TEXT)
		example_right(call, refusal);
	else
		refusal_right(refusal, "%s",
			      describe_value(argument->kind, argument_key(call->verb, argument), text));
	return -EINVAL;
}

/* A file's name is no word by itself: the likeliest slip of those who come from other programs. */
static int refuse_word(const struct call *call, const char *word, struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "\"%.80s\" is one word too many", word);
	if (verb_option(call->verb, "file") && strpbrk(word, "./"))
		refusal_right(refusal, "-f %.80s", word);
	else
		example_right(call, refusal);
	return -EINVAL;
}

static int check_words(const struct call *call, struct refusal *refusal)
{
	static const struct argument none[] = {{.name = NULL}};
	const struct argument *argument = call->verb->arguments ? call->verb->arguments : none;
	bool met = false; /* the argument that repeats has a word */

	for (size_t n = 0; n < call->word_count; n++) {
		if (!argument->name)
			return refuse_word(call, call->words[n], refusal);
		if (check_value(argument->kind, argument_key(call->verb, argument), call->words[n],
				argument->choices, refusal)) {
			refusal_where(refusal, "%s", argument->name);
			return -EINVAL;
		}
		met = argument->repeats;
		argument += !argument->repeats;
	}
	if (argument->name && !argument->optional && !met)
		return refuse_missing(call, argument, refusal);
	return 0;
}

int call_check(struct call *call, struct refusal *refusal)
{
	int r = check_verb_options(call, refusal);

	r = r ?: check_flags(call, refusal);
	r = r ?: check_words(call, refusal);
	return r ?: check_required(call, refusal);
}
