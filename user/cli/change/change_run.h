/* SPDX-License-Identifier: Apache-2.0 */
/* Changes: from a call to an operation, to one line of what happened. */
#pragma once

#include <jansson.h>

#include "cli/frame/request.h"

/* Every verb that is one operation: its row says which. */
enum exit_status run_change(const struct call *call);
/* Sends the verb's operation with arguments, whose reference it takes over, and prints what the answer says
 * of subject ("backend db/db2"), or with --json the answer itself. */
enum exit_status change_make(const struct call *call, json_t *arguments, const char *subject);
/* What an operation's answer warns of, on standard error. */
void change_print_warnings(const json_t *answer);

/* Changes of the whole desired state: to that of a file, or of a generation. */

/* Posts body, to which it adds what the call says of dry_run and force. As request_try(). */
enum exit_status change_send_whole(const struct call *call, const char *path, json_t *body, bool dry_run,
				   struct answer *ret, struct refusal *refusal);
/*
 * Posts a change of the whole desired state (body, to which it adds) and prints what happened to subject.
 * Where the daemon refuses it because it moves more than its move_limit, and there is a terminal, it asks.
 */
enum exit_status change_whole(const struct call *call, const char *path, json_t *body, const char *subject);
