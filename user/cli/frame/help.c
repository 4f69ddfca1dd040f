// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <ctype.h>
#include <string.h>

#include "complain.h"
#include "key_option.h"
#include "program.h"

enum { LINE = 80 };

/* "POOL/NAME ADDRESS": a verb's arguments, with brackets and dots. Returns text. */
static const char *arguments_text(const struct verb *verb, char text[SYNOPSIS_TEXT])
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

const char *synopsis_text(const struct noun *noun, const struct verb *verb, char text[SYNOPSIS_TEXT])
{
	char part[SYNOPSIS_TEXT];
	bool options = false;
	size_t length = strlen(verb_text(noun, verb, text));

	if (*arguments_text(verb, part))
		length += (size_t)snprintf(text + length, SYNOPSIS_TEXT - length, " %.200s", part);
	for (const struct option *option = verb_options(verb); option && option->name; option++) {
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

static void print_option(FILE *to, const struct option *option)
{
	char text[SYNOPSIS_TEXT];

	print_row(to, option_text(option, text), 26, option->help);
}

/* " (add, set)": the verbs of a noun, or nothing where it stands alone. */
static void verbs_listed(const struct noun *noun, char text[SYNOPSIS_TEXT])
{
	size_t length = 0;

	*text = '\0';
	for (const struct verb *verb = noun->verbs; verb->verb; verb++) {
		if (*verb->verb && length < SYNOPSIS_TEXT - 1)
			length += (size_t)snprintf(text + length, SYNOPSIS_TEXT - length, "%s%s",
						   length ? ", " : " (", verb->verb);
	}
	if (length && length < SYNOPSIS_TEXT - 1)
		strcpy(text + length, ")");
}

static void print_first_page_noun(FILE *to, const struct noun *noun)
{
	char list[SYNOPSIS_TEXT];

	if (!noun->unsaid) {
		verbs_listed(noun, list);
		fprintf(to, "  %-12s %s%s\n", noun->name, noun->help, list);
		return;
	}
	for (const struct verb *verb = noun->verbs; verb->verb; verb++)
		fprintf(to, "  %-12s %s\n", verb->verb, verb->help);
}

void help_print_all(const struct program *program, FILE *to)
{
	const char *noun = noun_unsaid(program) ? "" : "NOUN ";

	fprintf(to, "usage: %s [OPTIONS] %sVERB ARGUMENTS; options may stand anywhere\n\n", program->name,
		noun);
	for (size_t i = 0; program->nouns[i]; i++) {
		if (program->nouns[i]->help)
			print_first_page_noun(to, program->nouns[i]);
	}
	fprintf(to, "\nOptions of every command that has a use for them:\n");
	for (const struct option *option = global_options; option->name; option++) {
		if (option_applies(option, program_flags(program)))
			print_option(to, option);
	}
	if (*noun)
		fprintf(to, "\n`%s help NOUN` and `%s NOUN VERB --help` say more, with examples.\n",
			program->name, program->name);
	else
		fprintf(to, "\n`%s VERB --help` says more, with an example.\n", program->name);
	fprintf(to,
		"Exit status: 0 done, 1 refused or degraded, 2 usage, 3 a wait timed out, 4 no daemon.\n");
}

static void help_print_noun(const struct program *program, const struct noun *noun)
{
	char text[SYNOPSIS_TEXT];

	printf("%s: %s\n\n", noun->name, noun->help);
	for (const struct verb *verb = noun->verbs; verb->verb; verb++)
		print_row(stdout, synopsis_text(noun, verb, text), 42, verb->help);
	printf("\n`%s %s%sVERB --help` shows a verb's options and an example.\n", program->name,
	       noun->unsaid ? "" : noun->name, noun->unsaid ? "" : " ");
}

static void help_print_verb(const struct program *program, const struct noun *noun, const struct verb *verb)
{
	char text[SYNOPSIS_TEXT], example[EXAMPLE_TEXT];

	printf("usage: %s %s\n\n%c%s.\n", program->name, synopsis_text(noun, verb, text),
	       toupper((unsigned char)verb->help[0]), verb->help + 1);
	if (verb->details)
		print_wrapped(verb->details);
	for (const struct option *option = verb_options(verb); option && option->name; option++) {
		if (option == verb_options(verb))
			printf("\nOptions:\n");
		print_option(stdout, option);
	}
	if (verb_flags(verb) & VERB_CHANGES)
		printf("\nTakes --dry-run (show what would move, change nothing) and --force.\n");
	if (verb->flags & VERB_WORKS_OFFLINE)
		printf("\nTakes --offline: work from the pins alone, without the daemon.\n");
	printf("\nExample:\n  %s\n", example_text(program, noun, verb, example));
	if (verb->uses)
		printf("\nIn the API: %s\n", verb->uses);
}

enum exit_status help_print_words(const struct program *program, const char *const *words, size_t count)
{
	struct refusal refusal = {.what = ""};
	const struct noun *noun;
	const struct verb *verb;
	size_t taken;

	if (!count) {
		help_print_all(program, stdout);
		return STATUS_DONE;
	}
	noun = noun_find(program, words[0], noun_unsaid(program) ? NULL : &refusal);
	if (noun && count == 1 && noun->verbs[0].verb && noun->verbs[1].verb) {
		help_print_noun(program, noun);
		return STATUS_DONE;
	}
	verb = *refusal.what ? NULL : verb_find(program, words, count, &noun, &taken, &refusal);
	if (!verb)
		return complain(STATUS_USAGE, &refusal, 0);
	help_print_verb(program, noun, verb);
	return STATUS_DONE;
}

enum exit_status run_help(const struct call *call)
{
	return help_print_words(call->program, call->words, call->word_count);
}
