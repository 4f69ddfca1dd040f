// SPDX-License-Identifier: Apache-2.0
/* How words find their row in the verb table. */
#include "verb.h"

#include <errno.h>
#include <string.h>

#include "core/value/nearest.h"

enum { SHORTEST_BEGINNING = 2 };

/* How well word names name: 0 not at all, 1 by its beginning, 2 exactly. */
static int match(const char *word, const char *name, size_t length)
{
	size_t given = strlen(word);

	if (given == length && !memcmp(word, name, length))
		return 2;
	return given >= SHORTEST_BEGINNING && given < length && !memcmp(word, name, given);
}

const struct noun *noun_find(const char *word, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(word);
	const struct noun *found = NULL;

	for (const struct noun *noun = nouns; noun->name; noun++) {
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
		nearest_right(&nearest, refusal, "`holdfast help` lists them");
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

	for (const struct verb *verb = verbs; verb->noun; verb++) {
		if (strcmp(verb->noun, noun->name))
			continue;
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

	for (const struct verb *verb = verbs; verb->noun; verb++) {
		size_t taken;
		int how;

		if (strcmp(verb->noun, noun->name) || !verb_matches(verb, words, count, &taken, &how) ||
		    how < best)
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

const struct verb *verb_find(const char *const *words, size_t count, size_t *ret_taken,
			     struct refusal *refusal)
{
	static const char *const list[] = {"list"};
	const struct noun *noun = noun_find(words[0], refusal);
	const struct verb *verb;
	size_t taken = 0;

	if (!noun)
		return NULL;
	verb = verb_of_noun(noun, words + 1, count - 1, &taken, refusal);
	if (!verb && count == 1) {
		verb = verb_of_noun(noun, list, 1, &taken, NULL);
		taken = 0;
	}
	if (verb)
		*ret_taken = taken + 1;
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
	return option_in(verb->options, name);
}

const struct option *option_find(const char *name)
{
	const struct option *option = option_in(global_options, name);

	for (const struct verb *verb = verbs; !option && verb->noun; verb++)
		option = option_in(verb->options, name);
	return option;
}
