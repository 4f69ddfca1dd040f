// SPDX-License-Identifier: Apache-2.0
#include "change_whole.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "change_run.h"
#include "plan_print.h"

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
