// SPDX-License-Identifier: Apache-2.0
#include "change_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/schema/schema.h"
#include "kern/preflight/preflight.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/key_option.h"
#include "plan_print.h"

enum { SUBJECT_TEXT = 256 };

/* Sets the argument of that key (VALUE_BACKEND: pool and name) to what a checked text means; schema NULL: it
 * is no key of the configuration. */
static int argument_set(json_t *arguments, const char *key, enum value_kind kind,
			const struct schema_key *schema, const char *text)
{
	char pool[NAME_SIZE], name[BACKEND_TEXT];

	if (kind == VALUE_BACKEND) {
		value_split_backend(text, pool, name);
		return json_object_update_new(arguments, json_pack("{s:s, s:s}", "pool", pool, "name", name));
	}
	if (kind == VALUE_FLAG)
		return json_object_set_new(arguments, key, json_true());
	if (kind == VALUE_COUNT || (schema && schema->type == SCHEMA_NUMBER))
		return json_object_set_new(arguments, key, json_integer(strtoll(text, NULL, 10)));
	return json_object_set_new(arguments, key, json_string(text));
}

/* The arguments of the call's operation, by its row. New reference; NULL: no memory. */
static json_t *change_arguments(const struct call *call)
{
	json_t *arguments = json_object();
	const struct argument *argument = call->verb->arguments;
	int r = 0;

	for (size_t i = 0; !r && i < call->word_count; i++)
		if (argument[i].key)
			r = argument_set(arguments, argument[i].key, argument[i].kind,
					 argument_key(call->verb, &argument[i]), call->words[i]);
	for (size_t i = 0; !r && i < call->given_count; i++) {
		const struct option *option = call->given[i].option;

		if (!option->local)
			r = argument_set(arguments, option->key ? option->key->name : option->name,
					 option->kind, option->key, call->given[i].value);
	}
	if (!r)
		return arguments;
	json_decref(arguments);
	return NULL;
}

void change_print_warnings(const json_t *answer)
{
	json_t *warning;
	size_t i;

	json_array_foreach (json_object_get(answer, "warnings"), i, warning) {
		struct refusal refusal = {.what = ""};

		refuse(&refusal, 0, "%s", json_is_string(warning) ? json_string_value(warning) : "");
		warn_about(&refusal);
	}
}

/* A backend with flows leaves when it is drained: until then nothing is removed. */
static const char *done_of(const struct call *call, const json_t *plan)
{
	const json_t *backends = json_object_get(plan, "backends");
	const char *operation = call->verb->uses;

	if (!strcmp(operation, "backend.remove") && !call_flag(call, "now") &&
	    !field_number(backends, "removed"))
		return "drains first, then leaves";
	return call->verb->done;
}

static enum exit_status change_print(const struct call *call, const char *subject,
				     const struct answer *answer)
{
	const json_t *plan = json_object_get(answer->json, "plan");

	if (call->json)
		return answer_print(answer);
	if (call->dry_run) {
		plan_print(plan);
		puts("nothing changed");
	} else if (json_is_false(json_object_get(answer->json, "changed"))) {
		printf("%s unchanged: generation %.0f\n", subject, field_number(answer->json, "generation"));
	} else {
		printf("%s %s", subject, done_of(call, plan));
		/* A fact makes no generation. */
		if (strcmp(call->verb->uses, "backend.health"))
			printf(": generation %.0f", field_number(answer->json, "generation"));
		plan_print_moved(plan);
		putchar('\n');
		plan_print_replaced(plan);
	}
	change_print_warnings(answer->json);
	return STATUS_DONE;
}

enum exit_status change_make(const struct call *call, json_t *arguments, const char *subject)
{
	json_t *body = json_pack("{s:s, s:o, s:b, s:b}", "operation", call->verb->uses, "arguments",
				 arguments, "dry_run", call->dry_run, "force", call->force);
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_post(call, "/v1/operations", body, &answer);

	if (!status)
		change_print(call, subject, &answer);
	json_decref(body);
	answer_free(&answer);
	return status;
}

/* "backend db/db2", "service tcp 203.0.113.10:80": what the arguments name, not what they say of it. */
static void subject_of(const struct call *call, char subject[static SUBJECT_TEXT])
{
	const struct argument *argument = call->verb->arguments;
	int length = snprintf(subject, SUBJECT_TEXT, "%s", call->noun->name);

	for (size_t i = 0; i < call->word_count && length < SUBJECT_TEXT; i++) {
		if (argument[i].key && argument[i].kind != VALUE_KEY && argument[i].kind != VALUE_WORD)
			length += snprintf(subject + length, (size_t)(SUBJECT_TEXT - length), " %s",
					   call->words[i]);
	}
}

/* Some drivers take the link down for a moment when a program is attached: said before it is. In generic mode
 * the driver does not know of it. */
static void warn_of_attach(const struct call *call)
{
	const char *sentence, *mode;
	struct refusal warning;

	if (strcmp(call->verb->uses, "interface.attach"))
		return;
	mode = call_option(call, "mode");
	sentence = mode && !strcmp(mode, "generic") ? NULL : attach_warning(call->words[0]);
	if (!sentence)
		return;
	refuse(&warning, 0, "%s", sentence);
	refusal_where(&warning, "interface %s", call->words[0]);
	warn_about(&warning);
}

enum exit_status run_change(const struct call *call)
{
	json_t *arguments = change_arguments(call);
	char subject[SUBJECT_TEXT];
	struct refusal refusal = {.what = ""};

	if (!arguments)
		return complain_memory();
	if (!strcmp(call->verb->verb, "set") && !call->given_count) {
		json_decref(arguments);
		refuse(&refusal, -EINVAL, "%s set: nothing to change was given", call->noun->name);
		refusal_right(&refusal, "at least one of the options in `holdfast %s set --help`",
			      call->noun->name);
		return complain(STATUS_USAGE, &refusal, 0);
	}
	warn_of_attach(call);
	subject_of(call, subject);
	return change_make(call, arguments, subject);
}

/* The whole desired state ---------------------------------------------------------------- */

enum exit_status change_send_whole(const struct call *call, const char *path, json_t *body, bool dry_run,
				   struct answer *ret, struct refusal *refusal)
{
	json_object_set_new(body, "dry_run", json_boolean(dry_run));
	json_object_set_new(body, "force", json_boolean(call->force));
	return request_try(call, path, NULL, body, ret, refusal);
}

/* Whether the daemon refused only because much would move, and there is somebody to ask. */
static bool may_ask(enum exit_status status, const struct refusal *refusal)
{
	return status == STATUS_REFUSED && !strcmp(refusal->kind, "move-limit") && isatty(STDIN_FILENO);
}

static bool is_agreed(const json_t *plan)
{
	char line[16] = "", percent[QUANTITY_TEXT];

	plan_print(plan);
	printf("This moves %s %% of a pool's slots. Apply it? [y/N] ",
	       percent_text(plan_greatest_share(plan), percent));
	fflush(stdout);
	return fgets(line, sizeof line, stdin) && (!strcmp(line, "y\n") || !strcmp(line, "yes\n"));
}

/* Shows what would move, and sends again what was agreed to: that, and nothing that came between. */
static enum exit_status ask_and_send(const struct call *call, const char *path, json_t *body,
				     struct answer *ret, struct refusal *refusal)
{
	struct answer looked = {NULL, NULL};
	enum exit_status status = change_send_whole(call, path, body, true, &looked, refusal);

	if (status)
		return status;
	change_print_warnings(looked.json);
	if (!is_agreed(json_object_get(looked.json, "plan"))) {
		answer_free(&looked);
		refuse(refusal, -ECANCELED, "nothing changed");
		return STATUS_REFUSED;
	}
	json_object_set(body, "expect", json_object_get(looked.json, "generation"));
	json_object_set_new(body, "limit", json_integer(100));
	answer_free(&looked);
	return change_send_whole(call, path, body, false, ret, refusal);
}

enum exit_status change_whole(const struct call *call, const char *path, json_t *body, const char *subject)
{
	struct answer answer = {NULL, NULL};
	struct refusal refusal = {.what = ""};
	enum exit_status status = change_send_whole(call, path, body, call->dry_run, &answer, &refusal);

	if (may_ask(status, &refusal))
		status = ask_and_send(call, path, body, &answer, &refusal);
	if (status)
		complain(status, &refusal, 0);
	else
		change_print(call, subject, &answer);
	answer_free(&answer);
	return status;
}
