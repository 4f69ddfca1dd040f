// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <version.h>

#include "help.h"
#include "key_option.h"

void page_put(const char *text)
{
	for (const char *at = text; *at; at++) {
		if (*at == '\\')
			fputs("\\e", stdout);
		else if (*at == '-')
			fputs("\\-", stdout);
		else if ((*at == '.' || *at == '\'') && at == text)
			printf("\\&%c", *at);
		else
			putchar(*at);
	}
}

void page_line(const char *text)
{
	page_put(text);
	putchar('\n');
}

void page_request(const char *request, const char *text)
{
	printf("%s ", request);
	page_line(text);
}

void page_sentence(const char *text)
{
	char first[2] = {(char)toupper((unsigned char)text[0]), '\0'};

	page_put(first);
	page_put(text + 1);
	puts(text[strlen(text) - 1] == '.' ? "" : ".");
}

void page_title(const char *name, const char *section, const char *what)
{
	printf(".TH %s %s \"\" \"Holdfast %s\"\n.SH NAME\n", name, section, HOLDFAST_VERSION);
	for (const char *at = name; *at; at++)
		putchar(tolower((unsigned char)*at));
	printf(" \\- %s\n", what);
}

static void put_option(const struct option *option)
{
	char text[SYNOPSIS_TEXT];

	puts(".TP");
	page_request(".B", option_text(option, text));
	page_sentence(option->help);
}

static void put_verb(const struct program *program, const struct noun *noun, const struct verb *verb)
{
	char text[SYNOPSIS_TEXT];

	puts(".TP");
	page_request(".B", synopsis_text(noun, verb, text));
	page_sentence(verb->help);
	if (verb->details)
		page_line(verb->details);
	if (verb_flags(verb) & VERB_CHANGES)
		page_line("Takes --dry-run and --force.");
	if (verb->flags & VERB_WORKS_OFFLINE)
		page_line("Takes --offline.");
	if (verb_options(verb)) {
		puts(".RS");
		for (const struct option *option = verb_options(verb); option->name; option++)
			put_option(option);
		puts(".RE");
	}
	puts(".IP\n.EX");
	printf("%s ", *program->section == '8' ? "#" : "$");
	page_line(example_text(program, noun, verb, text));
	puts(".EE");
}

void page_commands(const struct program *program)
{
	puts(".SH OPTIONS");
	page_line("Options may stand anywhere. These are for every command that has a use for them:");
	for (const struct option *option = global_options; option->name; option++) {
		if (option_applies(option, program_flags(program)))
			put_option(option);
	}
	puts(".SH COMMANDS");
	for (size_t i = 0; program->nouns[i]; i++) {
		const struct noun *noun = program->nouns[i];

		if (!noun->help)
			continue;
		if (!noun->unsaid) {
			page_request(".SS", noun->name);
			page_sentence(noun->help);
		}
		for (const struct verb *verb = noun->verbs; verb->verb; verb++)
			put_verb(program, noun, verb);
	}
}

void page_see_also(const char *others)
{
	printf(".SH SEE ALSO\n%s\n", others);
}
