// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "key_option.h"
#include "program.h"

enum { COMMANDS_MAX = 128 };

static const char helpers[] =
	"\n"
	"_holdfast_offer()\n"
	"{\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\")\n"
	"}\n"
	"\n"
	"# The first column of one of holdfast's own lists, asked of the instance on the command line.\n"
	"_holdfast_names()\n"
	"{\n"
	"\t_holdfast_offer \"$(holdfast \"${where[@]}\" \"$1\" list --patience 2s 2>/dev/null |"
	" awk 'NR > 1 { print $1 }')\"\n"
	"}\n"
	"\n";

static const char head[] =
	"{\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=() where=() "
	"word\n"
	"\tlocal -i at\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((at = 1; at < COMP_CWORD; at++)); do\n"
	"\t\tword=${COMP_WORDS[at]}\n"
	"\t\tcase $word in\n"
	"\t\t--instance | --runtime-dir)\n"
	"\t\t\twhere+=(\"$word\" \"${COMP_WORDS[++at]}\")\n"
	"\t\t\t;;\n";

/* Whether a verb before last has an option of that name. */
static bool seen_before(const struct program *program, const struct verb *last, const struct option *option)
{
	for (size_t i = 0; program->nouns[i]; i++) {
		for (const struct verb *verb = program->nouns[i]->verbs; verb->verb; verb++) {
			if (verb == last)
				return false;
			if (verb_option(verb, option->name))
				return true;
		}
	}
	return false;
}

static void each_valued_of(const struct program *program, const struct verb *verb,
			   void (*print)(const struct option *option))
{
	for (const struct option *option = verb_options(verb); option && option->name; option++) {
		if (option->kind != VALUE_FLAG && !seen_before(program, verb, option))
			print(option);
	}
}

/* Calls print for every option of the program that takes a value, each name once. */
static void each_valued(const struct program *program, void (*print)(const struct option *option))
{
	for (const struct option *option = global_options; option->name; option++) {
		if (option->kind != VALUE_FLAG)
			print(option);
	}
	for (size_t i = 0; program->nouns[i]; i++)
		for (const struct verb *verb = program->nouns[i]->verbs; verb->verb; verb++)
			each_valued_of(program, verb, print);
}

static void print_pattern(const struct option *option)
{
	/* These two have a row of their own. */
	if (strcmp(option->name, "instance") && strcmp(option->name, "runtime-dir"))
		printf(" | --%s", option->name);
}

static void print_values(const struct option *option)
{
	const char *extra = strcmp(option->name, "file") ? "" : " | -f";

	printf("\t--%s%s)\n", option->name, extra);
	if (option->choices)
		printf("\t\t_holdfast_offer \"%s\"\n", option->choices);
	else if (option->kind == VALUE_FILE)
		printf("\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n");
	else if (option->kind == VALUE_INTERFACE)
		printf("\t\t_holdfast_offer \"$(ls /sys/class/net)\"\n");
	else if (!strcmp(option->name, "pool"))
		printf("\t\t_holdfast_names pool\n");
	printf("\t\treturn\n\t\t;;\n");
}

/* Every command that help shows, as it is typed. */
struct commands {
	char text[COMMANDS_MAX][VERB_TEXT];
	size_t count;
};

static void commands_gather(const struct program *program, struct commands *ret)
{
	ret->count = 0;
	for (size_t i = 0; program->nouns[i]; i++)
		for (const struct verb *verb = program->nouns[i]->verbs; verb->verb; verb++)
			if (program->nouns[i]->help && ret->count < COMMANDS_MAX)
				verb_text(program->nouns[i], verb, ret->text[ret->count++]);
}

/* Whether a command before the nth begins with the same words, so many letters of it: behind them is a space
 * or the end. */
static bool begun_before(const struct commands *commands, size_t nth, size_t length)
{
	for (size_t i = 0; i < nth; i++) {
		if (!strncmp(commands->text[i], commands->text[nth], length) &&
		    strchr(" ", commands->text[i][length]))
			return true;
	}
	return false;
}

/* The words that may come behind the first letters of the nth command. */
static void print_next(const struct commands *commands, size_t nth, size_t length)
{
	size_t from = length ? length + 1 : 0;

	printf("\t\"%.*s\")\n\t\t_holdfast_offer \"", (int)length, commands->text[nth]);
	for (size_t i = nth; i < commands->count; i++) {
		size_t more = strcspn(commands->text[i] + from, " ");

		if (!strncmp(commands->text[i], commands->text[nth], from) &&
		    !begun_before(commands, i, from + more))
			printf("%.*s ", (int)more, commands->text[i] + from);
	}
	printf("\"\n\t\t;;\n");
}

/* What the argument in question can be: names that exist, or words. */
static void print_argument(const struct verb *verb, const struct argument *argument)
{
	if (argument->kind == VALUE_BACKEND)
		printf("\t\t_holdfast_names backend\n");
	else if (argument->kind == VALUE_INTERFACE)
		printf("\t\t_holdfast_offer \"$(ls /sys/class/net)\"\n");
	else if (argument->kind == VALUE_PROTO)
		printf("\t\t_holdfast_offer \"tcp udp\"\n");
	else if (argument->kind == VALUE_NAME && strcmp(verb->verb, "add"))
		printf("\t\t_holdfast_names pool\n");
	else if (argument->kind == VALUE_WORD)
		printf("\t\t_holdfast_offer \"%s\"\n", argument->choices);
	else
		printf("\t\t:\n");
}

static void print_verb(const struct noun *noun, const struct verb *verb)
{
	char text[VERB_TEXT];

	printf("\t\"%s\"*)\n\t\tif [[ $current == -* ]]; then\n\t\t\t_holdfast_offer \"",
	       verb_text(noun, verb, text));
	for (const struct option *option = verb_options(verb); option && option->name; option++)
		printf("--%s ", option->name);
	for (const struct option *option = global_options; option->name; option++) {
		if (option_applies(option, verb_flags(verb)))
			printf("--%s ", option->name);
	}
	printf("\"\n\t\t\treturn\n\t\tfi\n");
	if (verb->arguments && verb->arguments->name)
		print_argument(verb, verb->arguments);
	printf("\t\t;;\n");
}

/* By the words that are there already. */
static void print_words(const struct program *program)
{
	struct commands commands;

	commands_gather(program, &commands);
	print_next(&commands, 0, 0);
	for (size_t i = 0; i < commands.count; i++)
		for (const char *space = strchr(commands.text[i], ' '); space; space = strchr(space + 1, ' '))
			if (!begun_before(&commands, i, (size_t)(space - commands.text[i])))
				print_next(&commands, i, (size_t)(space - commands.text[i]));
	for (size_t i = 0; program->nouns[i]; i++)
		for (const struct verb *verb = program->nouns[i]->verbs; verb->verb; verb++)
			print_verb(program->nouns[i], verb);
}

static enum exit_status run_completion(const struct call *call)
{
	const struct program *program = call->program;
	char function[64] = "_";

	for (size_t i = 0; program->name[i] && i + 2 < sizeof function; i++)
		function[i + 1] = program->name[i] == '-' ? '_' : program->name[i];
	printf("# bash completion for %s(%s); made from its verb table\n%s%s()\n%s", program->name,
	       program->section, helpers, function, head);
	printf("\t\t-f");
	each_valued(program, print_pattern);
	printf(")\n\t\t\tat+=1\n\t\t\t;;\n\t\t-*) "
	       ";;\n\t\t*)\n\t\t\twords+=(\"$word\")\n\t\t\t;;\n\t\tesac\n\tdone\n"
	       "\tcase $before in\n");
	each_valued(program, print_values);
	printf("\tesac\n\tcase ${words[*]} in\n");
	print_words(program);
	printf("\tesac\n}\n\ncomplete -F %s %s\n", function, program->name);
	return STATUS_DONE;
}

/* clang-format off */
const struct noun completion_noun = {"completion", NULL, .verbs = VERBS(
	{"",
	 .help = "print the completion of command lines for bash",
	 .run = run_completion})};
/* clang-format on */
