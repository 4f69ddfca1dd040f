// SPDX-License-Identifier: Apache-2.0
#include "verb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/value/nearest.h"
#include "key_option.h"

enum { SHORTEST_BEGINNING = 2 };

const struct option global_options[] = {
	OPTION("instance", VALUE_NAME, "I", "the instance meant; default: default"),
	FLAG("json", "print the API's JSON as it is"),
	FLAG("offline", "work from the pins alone, without the daemon"),
	FLAG("dry-run", "show what a change would move, and change nothing"),
	FLAG("force", "change it although flows would break"),
	OPTION("runtime-dir", VALUE_FILE, "DIR", "where the daemon's socket is; default: /run/holdfast"),
	OPTION("state-dir", VALUE_FILE, "DIR", "where the daemon's database is; default: /var/lib/holdfast"),
	OPTION("patience", VALUE_DURATION, "D",
	       "give up when the daemon is silent for so long; 0: never; default: 30s"),
	FLAG("help", "what a command does, with an example; also -h"),
	FLAG("version", "the version of this program"),
	{.name = NULL},
};

/* How well word names name: 0 not at all, 1 by its beginning, 2 exactly. */
static int match(const char *word, const char *name, size_t length)
{
	size_t given = strlen(word);

	if (given == length && !memcmp(word, name, length))
		return 2;
	return given >= SHORTEST_BEGINNING && given < length && !memcmp(word, name, given);
}

const struct noun *noun_find(const struct program *program, const char *word, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(word);
	const struct noun *found = NULL;
	char right[64];

	for (size_t i = 0; program->nouns[i]; i++) {
		const struct noun *noun = program->nouns[i];
		int how = match(word, noun->name, strlen(noun->name));

		/* What help does not show must be said in full. */
		if (how == 1 && !noun->help)
			continue;
		if (noun->help)
			nearest_offer(&nearest, noun->name);
		if (how == 2)
			return noun;
		if (how && found) {
			refuse(refusal, -EINVAL, "\"%s\" may be %s or %s", word, found->name, noun->name);
			return NULL;
		}
		if (how)
			found = noun;
	}
	if (!found) {
		refuse(refusal, -EINVAL, "there is no noun \"%s\"", word);
		snprintf(right, sizeof right, "`%s help` lists them", program->name);
		nearest_right(&nearest, refusal, right);
	}
	return found;
}

/* Whether words name every word of the verb's name; *ret_how is the worst of the matches. */
static bool verb_matches(const struct verb *verb, const char *const *words, size_t count, size_t *ret_taken,
			 int *ret_how)
{
	const char *name = verb->verb;
	size_t taken = 0;

	*ret_how = 2;
	while (*name) {
		size_t length = strcspn(name, " ");
		int how = taken < count ? match(words[taken], name, length) : 0;

		if (!how)
			return false;
		if (how < *ret_how)
			*ret_how = how;
		taken++;
		name += length;
		name += strspn(name, " ");
	}
	*ret_taken = taken;
	return true;
}

static void refuse_verb(const struct noun *noun, const char *word, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(word);
	char list[200] = "";

	for (const struct verb *verb = noun->verbs; verb->verb; verb++) {
		nearest_offer(&nearest, verb->verb);
		if (strlen(list) + strlen(verb->verb) + 3 < sizeof list) {
			strcat(list, *list ? ", " : "");
			strcat(list, verb->verb);
		}
	}
	if (*word)
		refuse(refusal, -EINVAL, "%s has no verb \"%s\"", noun->name, word);
	else
		refuse(refusal, -EINVAL, "%s: a verb is missing", noun->name);
	nearest_right(&nearest, refusal, list);
}

static const struct verb *verb_of_noun(const struct noun *noun, const char *const *words, size_t count,
				       size_t *ret_taken, struct refusal *refusal)
{
	const struct verb *found = NULL;
	int best = 0;

	for (const struct verb *verb = noun->verbs; verb->verb; verb++) {
		size_t taken;
		int how;

		if (!verb_matches(verb, words, count, &taken, &how) || how < best)
			continue;
		if (found && how == best) {
			refuse(refusal, -EINVAL, "%s: \"%s\" may be %s or %s", noun->name, words[0],
			       found->verb, verb->verb);
			return NULL;
		}
		found = verb;
		best = how;
		*ret_taken = taken;
	}
	if (!found)
		refuse_verb(noun, count ? words[0] : "", refusal);
	return found;
}

const struct noun *noun_unsaid(const struct program *program)
{
	for (size_t i = 0; program->nouns[i]; i++) {
		if (program->nouns[i]->unsaid)
			return program->nouns[i];
	}
	return NULL;
}

const struct verb *verb_find(const struct program *program, const char *const *words, size_t count,
			     const struct noun **ret_noun, size_t *ret_taken, struct refusal *refusal)
{
	static const char *const list[] = {"list"};
	const struct noun *unsaid = noun_unsaid(program);
	const struct noun *noun = noun_find(program, words[0], unsaid ? NULL : refusal);
	bool said = noun || !unsaid;
	const struct verb *verb;
	size_t taken = 0;

	noun = noun ? noun : unsaid;
	if (!noun)
		return NULL;
	verb = verb_of_noun(noun, words + said, count - said, &taken, refusal);
	if (!verb && count == 1 && said) {
		verb = verb_of_noun(noun, list, 1, &taken, NULL);
		taken = 0;
	}
	if (!verb)
		return NULL;
	*ret_noun = noun;
	*ret_taken = taken + said;
	return verb;
}

static const struct option *option_in(const struct option *options, const char *name)
{
	for (; options && options->name; options++) {
		if (!strcmp(options->name, name))
			return options;
	}
	return NULL;
}

const struct option *verb_option(const struct verb *verb, const char *name)
{
	return option_in(verb_options(verb), name);
}

const struct option *option_find(const struct program *program, const char *name)
{
	const struct option *option = option_in(global_options, name);

	for (size_t i = 0; !option && program->nouns[i]; i++)
		for (const struct verb *verb = program->nouns[i]->verbs; !option && verb->verb; verb++)
			option = option_in(verb_options(verb), name);
	return option;
}

unsigned verb_flags(const struct verb *verb)
{
	return verb->flags | (verb->done ? VERB_CHANGES : 0);
}

unsigned program_flags(const struct program *program)
{
	unsigned flags = 0;

	for (size_t i = 0; program->nouns[i]; i++)
		for (const struct verb *verb = program->nouns[i]->verbs; verb->verb; verb++)
			flags |= verb_flags(verb);
	return flags;
}

bool option_applies(const struct option *option, unsigned flags)
{
	if (!strcmp(option->name, "dry-run") || !strcmp(option->name, "force"))
		return flags & VERB_CHANGES;
	if (!strcmp(option->name, "offline") || !strcmp(option->name, "state-dir"))
		return flags & VERB_WORKS_OFFLINE;
	return true;
}

const char *verb_text(const struct noun *noun, const struct verb *verb, char text[VERB_TEXT])
{
	const char *said = noun->unsaid ? "" : noun->name;

	snprintf(text, VERB_TEXT, "%s%s%s", said, *said && *verb->verb ? " " : "", verb->verb);
	return text;
}

const char *example_text(const struct program *program, const struct noun *noun, const struct verb *verb,
			 char text[EXAMPLE_TEXT])
{
	char words[VERB_TEXT];

	snprintf(text, EXAMPLE_TEXT, "%s %s%s%s", program->name, verb_text(noun, verb, words),
		 verb->example ? " " : "", verb->example ? verb->example : "");
	return text;
}
