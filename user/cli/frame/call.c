// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/schema/schema.h"
#include "core/value/nearest.h"
#include "key_option.h"

#define RUNTIME_DIR "/run/holdfast"
#define STATE_DIR   "/var/lib/holdfast"
#define PATIENCE    "30s" /* the watchdog of its unit has none after that, either */

enum { DESCRIBED_TEXT = 256 };

/* The name in "--name" or "--name=value", and the value or NULL. False: too long for any option. */
static bool option_split(const char *word, char name[static NAME_SIZE], const char **ret_value)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);

	if (length >= NAME_SIZE)
		return false;
	memcpy(name, word, length);
	name[length] = '\0';
	*ret_value = equals ? equals + 1 : NULL;
	return true;
}

static void offer_options(struct nearest *nearest, const struct option *options)
{
	for (; options && options->name; options++)
		nearest_offer(nearest, options->name);
}

static int refuse_unknown_option(const struct program *program, const char *name, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(name);
	char right[NAME_SIZE + 32];

	offer_options(&nearest, global_options);
	for (size_t i = 0; program->nouns[i]; i++)
		for (const struct verb *verb = program->nouns[i]->verbs; verb->verb; verb++)
			offer_options(&nearest, verb_options(verb));
	refuse(refusal, -EINVAL, "there is no option --%s", name);
	if (nearest.best) {
		snprintf(right, sizeof right, "did you mean --%s?", nearest.best);
		refusal_right(refusal, "%s", right);
	} else {
		refusal_right(refusal, "`%s %sVERB --help` shows a command's options", program->name,
			      noun_unsaid(program) ? "" : "NOUN ");
	}
	return -EINVAL;
}

static int refuse_letter(const char *word, struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "there is no option %s", word);
	refusal_right(refusal, "options begin with --; -h and -f FILE are the only short ones");
	return -EINVAL;
}

/* Takes any text at all: only its help can say what would be right. */
static bool option_is_free(const struct option *option)
{
	return option->kind == VALUE_TEXT || option->kind == VALUE_FILE;
}

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

static void option_right(const struct option *option, struct refusal *refusal)
{
	char text[DESCRIBED_TEXT];

	if (option->choices)
		refusal_right(refusal, "one of: %s", option->choices);
	else if (option_is_free(option))
		refusal_right(refusal, "%s, %s", option->value, option->help);
	else
		refusal_right(refusal, "%s", describe_value(option->kind, option->key, text));
}

static int check_option(const struct option *option, const char *value, struct refusal *refusal)
{
	if (!check_value(option->kind, option->key, value, option->choices, refusal))
		return 0;
	if (option_is_free(option))
		option_right(option, refusal);
	refusal_where(refusal, "--%s", option->name);
	return -EINVAL;
}

static int refuse_value(const char *name, struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "--%s takes no value", name);
	refusal_right(refusal, "--%s alone, or nothing", name);
	return -EINVAL;
}

static void give(struct call *call, const struct option *option, const char *value)
{
	call->given[call->given_count++] = (struct given){option, value};
}

/* Takes the option that argv[*at] names by word ("weight", "weight=100"), and the words behind it that are
 * its values. */
static int take_option(struct call *call, const char *word, char **argv, int *at, struct refusal *refusal)
{
	const struct option *option;
	const char *value;
	char name[NAME_SIZE];

	if (!option_split(word, name, &value))
		return refuse_unknown_option(call->program, "...", refusal);
	option = option_find(call->program, name);
	if (!option)
		return refuse_unknown_option(call->program, name, refusal);
	if (option->kind == VALUE_FLAG) {
		if (value)
			return refuse_value(name, refusal);
		give(call, option, NULL);
		return 0;
	}
	if (!value)
		value = argv[*at + 1] ? argv[++*at] : NULL;
	if (!value) {
		refuse(refusal, -EINVAL, "--%s has no value", name);
		option_right(option, refusal);
		return -EINVAL;
	}
	give(call, option, value);
	while (option->repeats && argv[*at + 1] &&
	       !value_check(option->kind, argv[*at + 1], option->choices, NULL))
		give(call, option, argv[++*at]);
	return 0;
}

static int take_words(struct call *call, char **argv, struct refusal *refusal)
{
	bool options_end = false;
	int r = 0;

	for (int at = 1; argv[at] && !r; at++) {
		const char *word = argv[at];

		if (options_end || word[0] != '-' || !word[1])
			call->words[call->word_count++] = word;
		else if (!strcmp(word, "--"))
			options_end = true;
		else if (!strcmp(word, "-h"))
			call->help = true;
		else if (!strcmp(word, "-f"))
			r = take_option(call, "file", argv, &at, refusal);
		else if (word[1] == '-')
			r = take_option(call, word + 2, argv, &at, refusal);
		else { /* the verb decides, which is not known yet */
			call->signed_word = call->signed_word ? call->signed_word : word;
			call->words[call->word_count++] = word;
		}
	}
	return r;
}

/* Gives each global option its place; what is left in given is the verb's. */
static int take_globals(struct call *call, struct refusal *refusal)
{
	const struct {
		const char *name;
		bool *flag;
		const char **value;
	} places[] = {
		{"json", &call->json, NULL},           {"offline", &call->offline, NULL},
		{"dry-run", &call->dry_run, NULL},     {"force", &call->force, NULL},
		{"help", &call->help, NULL},           {"version", &call->version, NULL},
		{"instance", NULL, &call->instance},   {"runtime-dir", NULL, &call->runtime_dir},
		{"state-dir", NULL, &call->state_dir}, {"patience", NULL, &call->patience},
	};
	size_t kept = 0;

	for (size_t i = 0; i < call->given_count; i++) {
		const struct given *given = &call->given[i];
		bool global = false;

		for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
			if (strcmp(places[p].name, given->option->name))
				continue;
			global = true;
			if (places[p].flag) {
				*places[p].flag = true;
				continue;
			}
			if (check_option(given->option, given->value, refusal))
				return -EINVAL;
			*places[p].value = given->value;
		}
		if (!global)
			call->given[kept++] = *given;
	}
	call->given_count = kept;
	return 0;
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
			r = check_option(option, call->given[i].value, refusal);
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

	if ((call->dry_run || call->force) && !(call->verb->flags & VERB_CHANGES))
		name = call->dry_run ? "dry-run" : "force";
	else if (call->offline && !(call->verb->flags & VERB_WORKS_OFFLINE))
		name = "offline";
	if (!name)
		return 0;
	refuse(refusal, -EINVAL, "--%s means nothing to `%s`", name, verb_text(call->noun, call->verb, text));
	refusal_right(refusal, "%s",
		      call->offline ? "--offline is for status, counters, why, `backend list` and "
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

/* Finds the verb among the words and checks what the command line says for it. */
static int take_verb(struct call *call, struct refusal *refusal)
{
	size_t taken;
	int r;

	call->verb = verb_find(call->program, call->words, call->word_count, &call->noun, &taken, refusal);
	if (call->signed_word && !(call->verb && call->verb->flags & VERB_SIGNED_WORDS))
		return refuse_letter(call->signed_word, refusal);
	if (!call->verb)
		return -EINVAL;
	/* The words stay where they are, so that one free() is right for them. */
	call->word_count -= taken;
	memmove(call->words, call->words + taken, call->word_count * sizeof *call->words);
	r = check_verb_options(call, refusal);
	if (!r)
		r = check_flags(call, refusal);
	if (!r)
		r = check_words(call, refusal);
	if (!r)
		r = check_required(call, refusal);
	return r;
}

int call_parse(const struct program *program, int argc, char **argv, struct call *ret,
	       struct refusal *refusal)
{
	struct call call = {.program = program,
			    .argv = argv,
			    .instance = "default",
			    .runtime_dir = RUNTIME_DIR,
			    .state_dir = STATE_DIR,
			    .patience = PATIENCE};
	int r;

	call.words = calloc((size_t)argc + 1, sizeof *call.words);
	call.given = calloc((size_t)argc + 1, sizeof *call.given);
	r = call.words && call.given ? take_words(&call, argv, refusal) : -ENOMEM;
	if (r)
		goto fail;
	r = take_globals(&call, refusal);
	if (r)
		goto fail;
	if ((call.help || call.version) && call.signed_word) {
		r = refuse_letter(call.signed_word, refusal);
		goto fail;
	}
	if (!call.help && !call.version && call.word_count) {
		r = take_verb(&call, refusal);
		if (r)
			goto fail;
	}
	*ret = call;
	return 0;
fail:
	call_free(&call);
	return r;
}

void call_free(struct call *call)
{
	free(call->words);
	free(call->given);
	call->words = NULL;
	call->given = NULL;
}

const char *call_argument(const struct call *call, size_t n)
{
	return n < call->word_count ? call->words[n] : NULL;
}

const char *call_option(const struct call *call, const char *name)
{
	for (size_t i = call->given_count; i--;) {
		if (!strcmp(call->given[i].option->name, name))
			return call->given[i].value;
	}
	return NULL;
}

bool call_flag(const struct call *call, const char *name)
{
	for (size_t i = 0; i < call->given_count; i++) {
		if (!strcmp(call->given[i].option->name, name))
			return true;
	}
	return false;
}

const char *call_next(const struct call *call, const char *name, size_t *position)
{
	while (*position < call->given_count) {
		const struct given *given = &call->given[(*position)++];

		if (!strcmp(given->option->name, name))
			return given->value;
	}
	return NULL;
}
