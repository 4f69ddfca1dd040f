// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <ctype.h>
#include <string.h>

#include "cli/commands.h"
#include "complain.h"

enum { LINE = 80 };

const char *arguments_text(const struct verb *verb, char text[SYNOPSIS_TEXT])
{
	const char *between = "";
	size_t length = 0;

	*text = '\0';
	for (const struct argument *argument = verb->arguments; argument && argument->name; argument++) {
		length += (size_t)snprintf(text + length, SYNOPSIS_TEXT - length, "%s%s%s%s%s", between,
					   argument->optional ? "[" : "", argument->name,
					   argument->repeats ? "..." : "", argument->optional ? "]" : "");
		between = " ";
	}
	return text;
}

const char *option_text(const struct option *option, char text[SYNOPSIS_TEXT])
{
	const char *value = option->value ? option->value : option->choices;
	int length = snprintf(text, SYNOPSIS_TEXT, "--%s%s", option->name, value ? " " : "");

	if (value)
		snprintf(text + length, (size_t)(SYNOPSIS_TEXT - length), "%s%s", value,
			 option->repeats ? "..." : "");
	for (char *at = text + length; !option->value && *at; at++) {
		if (*at == ' ')
			*at = '|';
	}
	return text;
}

const char *synopsis_text(const struct verb *verb, char text[SYNOPSIS_TEXT])
{
	char part[SYNOPSIS_TEXT];
	bool options = false;
	size_t length;

	length = (size_t)snprintf(text, SYNOPSIS_TEXT, "%s%s%s", verb->noun, *verb->verb ? " " : "",
				  verb->verb);
	if (*arguments_text(verb, part))
		length += (size_t)snprintf(text + length, SYNOPSIS_TEXT - length, " %.200s", part);
	for (const struct option *option = verb->options; option && option->name; option++) {
		if (option->required)
			length += (size_t)snprintf(text + length, SYNOPSIS_TEXT - length, " %.100s",
						   option_text(option, part));
		options = options || !option->required;
	}
	if (options)
		snprintf(text + length, SYNOPSIS_TEXT - length, " [OPTIONS]");
	return text;
}

static void print_row(FILE *to, const char *left, int width, const char *right)
{
	if ((int)strlen(left) > width)
		fprintf(to, "  %s\n  %*s  %s\n", left, width, "", right);
	else
		fprintf(to, "  %-*s  %s\n", width, left, right);
}

/* Sentences, broken between words. */
static void print_wrapped(const char *text)
{
	int column = 0;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column && column + 1 + length > LINE) {
			putchar('\n');
			column = 0;
		}
		column += printf("%s%.*s", column ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_options(FILE *to, const struct option *options, const char *title)
{
	char text[SYNOPSIS_TEXT];

	if (!options || !options->name)
		return;
	fprintf(to, "\n%s\n", title);
	for (; options->name; options++)
		print_row(to, option_text(options, text), 26, options->help);
}

/* " (add, set)": the verbs of a noun, or nothing where it stands alone. */
static void verbs_listed(const struct noun *noun, char text[SYNOPSIS_TEXT])
{
	size_t length = 0;

	*text = '\0';
	for (const struct verb *verb = verbs; verb->noun; verb++) {
		if (!strcmp(verb->noun, noun->name) && *verb->verb && length < SYNOPSIS_TEXT - 1)
			length += (size_t)snprintf(text + length, SYNOPSIS_TEXT - length, "%s%s",
						   length ? ", " : " (", verb->verb);
	}
	if (length && length < SYNOPSIS_TEXT - 1)
		strcpy(text + length, ")");
}

void help_print_all(FILE *to)
{
	char list[SYNOPSIS_TEXT];

	fprintf(to, "usage: holdfast [OPTIONS] NOUN VERB ARGUMENTS; options may stand anywhere\n\n");
	for (const struct noun *noun = nouns; noun->name; noun++) {
		if (!noun->help)
			continue;
		verbs_listed(noun, list);
		fprintf(to, "  %-12s %s%s\n", noun->name, noun->help, list);
	}
	print_options(to, global_options, "Options of every command that has a use for them:");
	fprintf(to,
		"\n`holdfast help NOUN` and `holdfast NOUN VERB --help` say more, with examples.\n"
		"Exit status: 0 done, 1 refused or degraded, 2 usage, 3 a wait timed out, 4 no daemon.\n");
}

void help_print_noun(const struct noun *noun)
{
	char text[SYNOPSIS_TEXT];

	printf("%s: %s\n\n", noun->name, noun->help);
	for (const struct verb *verb = verbs; verb->noun; verb++) {
		if (strcmp(verb->noun, noun->name))
			continue;
		print_row(stdout, synopsis_text(verb, text), 42, verb->help);
	}
	printf("\n`holdfast %s VERB --help` shows a verb's options and an example.\n", noun->name);
}

void help_print_verb(const struct verb *verb)
{
	char text[SYNOPSIS_TEXT];

	printf("usage: holdfast %s\n\n%c%s.\n", synopsis_text(verb, text),
	       toupper((unsigned char)verb->help[0]), verb->help + 1);
	if (verb->details)
		print_wrapped(verb->details);
	print_options(stdout, verb->options, "Options:");
	if (verb->flags & VERB_CHANGES)
		printf("\nTakes --dry-run (show what would move, change nothing) and --force.\n");
	if (verb->flags & VERB_WORKS_OFFLINE)
		printf("\nTakes --offline: work from the pins alone, without the daemon.\n");
	printf("\nExample:\n  holdfast %s\n", verb->example);
	if (verb->uses)
		printf("\nIn the API: %s\n", verb->uses);
}

enum exit_status help_print_words(const char *const *words, size_t count)
{
	struct refusal refusal = {.what = ""};
	const struct noun *noun;
	const struct verb *verb;
	size_t taken, of_noun = 0;

	if (!count) {
		help_print_all(stdout);
		return STATUS_DONE;
	}
	noun = noun_find(words[0], &refusal);
	if (!noun)
		return complain(STATUS_USAGE, &refusal, 0);
	for (verb = verbs; verb->noun; verb++)
		of_noun += !strcmp(verb->noun, noun->name);
	if (count == 1 && of_noun > 1) {
		help_print_noun(noun);
		return STATUS_DONE;
	}
	verb = verb_find(words, count, &taken, &refusal);
	if (!verb)
		return complain(STATUS_USAGE, &refusal, 0);
	help_print_verb(verb);
	return STATUS_DONE;
}

enum exit_status run_help(const struct call *call)
{
	return help_print_words(call->words, call->word_count);
}
