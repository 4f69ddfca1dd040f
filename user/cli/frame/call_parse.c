// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/nearest.h"
#include "key_option.h"

#define RUNTIME_DIR "/run/holdfast"
#define STATE_DIR   "/var/lib/holdfast"
#define PATIENCE    "30s" /* the watchdog of its unit has none after that, either */

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
			if (option_check(given->option, given->value, refusal))
				return -EINVAL;
			*places[p].value = given->value;
		}
		if (!global)
			call->given[kept++] = *given;
	}
	call->given_count = kept;
	return 0;
}

/* Finds the verb among the words and checks what the command line says for it. */
static int take_verb(struct call *call, struct refusal *refusal)
{
	size_t taken;

	call->verb = verb_find(call->program, call->words, call->word_count, &call->noun, &taken, refusal);
	if (call->signed_word && !(call->verb && call->verb->flags & VERB_SIGNED_WORDS))
		return refuse_letter(call->signed_word, refusal);
	if (!call->verb)
		return -EINVAL;
	/* The words stay where they are, so that one free() is right for them. */
	call->word_count -= taken;
	memmove(call->words, call->words + taken, call->word_count * sizeof *call->words);
	return call_check(call, refusal);
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
