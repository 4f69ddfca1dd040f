// SPDX-License-Identifier: Apache-2.0
/* Completion of command lines in bash, from the verb table. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

static const char head[] =
	"# bash completion for holdfast(8); made from its verb table\n"
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
	"\n"
	"_holdfast()\n"
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

static bool seen_before(const struct verb *last, const struct option *option)
{
	for (const struct verb *verb = verbs; verb != last; verb++) {
		if (verb_option(verb, option->name))
			return true;
	}
	return false;
}

/* Calls print for every option of the table that takes a value, each name once. */
static void each_valued(void (*print)(const struct option *option))
{
	for (const struct option *option = global_options; option->name; option++) {
		if (option->kind != VALUE_FLAG)
			print(option);
	}
	for (const struct verb *verb = verbs; verb->noun; verb++) {
		for (const struct option *option = verb->options; option && option->name; option++) {
			if (option->kind != VALUE_FLAG && !seen_before(verb, option))
				print(option);
		}
	}
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

static void print_nouns(void)
{
	printf("\t\"\")\n\t\t_holdfast_offer \"");
	for (const struct noun *noun = nouns; noun->name; noun++) {
		if (noun->help)
			printf("%s%s", noun == nouns ? "" : " ", noun->name);
	}
	printf("\"\n\t\t;;\n");
}

/* Whether an earlier verb of the same noun begins with the same word. */
static bool begun_before(const struct verb *verb, size_t length)
{
	for (const struct verb *other = verbs; other != verb; other++) {
		if (!strcmp(other->noun, verb->noun) && strcspn(other->verb, " ") == length &&
		    !strncmp(other->verb, verb->verb, length))
			return true;
	}
	return false;
}

/* The first words of a noun's verbs, behind the noun alone. */
static void print_verbs(const struct noun *noun)
{
	printf("\t\"%s\")\n\t\t_holdfast_offer \"", noun->name);
	for (const struct verb *verb = verbs; verb->noun; verb++) {
		size_t length = strcspn(verb->verb, " ");

		if (!strcmp(verb->noun, noun->name) && !begun_before(verb, length))
			printf("%.*s ", (int)length, verb->verb);
	}
	printf("\"\n\t\t;;\n");
}

/* The second words of verbs that have one, behind the first. */
static void print_second_words(const struct verb *first)
{
	size_t length = strcspn(first->verb, " ");

	if (!first->verb[length] || begun_before(first, length))
		return;
	printf("\t\"%s %.*s\")\n\t\t_holdfast_offer \"", first->noun, (int)length, first->verb);
	for (const struct verb *verb = first; verb->noun; verb++) {
		if (!strcmp(verb->noun, first->noun) && !strncmp(verb->verb, first->verb, length + 1))
			printf("%s ", verb->verb + length + 1);
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

static void print_verb(const struct verb *verb)
{
	printf("\t\"%s%s%s\"*)\n\t\tif [[ $current == -* ]]; then\n\t\t\t_holdfast_offer \"", verb->noun,
	       *verb->verb ? " " : "", verb->verb);
	for (const struct option *option = verb->options; option && option->name; option++)
		printf("--%s ", option->name);
	for (const struct option *option = global_options; option->name; option++) {
		bool wanted = (strcmp(option->name, "dry-run") && strcmp(option->name, "force")) ||
			      verb->flags & VERB_CHANGES;

		if (strcmp(option->name, "offline") ? wanted : verb->flags & VERB_WORKS_OFFLINE)
			printf("--%s ", option->name);
	}
	printf("\"\n\t\t\treturn\n\t\tfi\n");
	if (verb->arguments && verb->arguments->name)
		print_argument(verb, verb->arguments);
	printf("\t\t;;\n");
}

enum exit_status run_completion(const struct call *call)
{
	(void)call;
	fputs(head, stdout);
	printf("\t\t-f");
	each_valued(print_pattern);
	printf(")\n\t\t\tat+=1\n\t\t\t;;\n\t\t-*) "
	       ";;\n\t\t*)\n\t\t\twords+=(\"$word\")\n\t\t\t;;\n\t\tesac\n\tdone\n"
	       "\tcase $before in\n");
	each_valued(print_values);
	printf("\tesac\n\tcase ${words[*]} in\n");
	print_nouns();
	for (const struct noun *noun = nouns; noun->name; noun++) {
		const char *const name[] = {noun->name};
		size_t taken;
		const struct verb *verb = noun->help ? verb_find(name, 1, &taken, NULL) : NULL;

		/* A noun that stands alone has its own row below. */
		if (noun->help && (!verb || *verb->verb))
			print_verbs(noun);
	}
	for (const struct verb *verb = verbs; verb->noun; verb++)
		print_second_words(verb);
	for (const struct verb *verb = verbs; verb->noun; verb++)
		print_verb(verb);
	printf("\tesac\n}\n\ncomplete -F _holdfast holdfast\n");
	return STATUS_DONE;
}
