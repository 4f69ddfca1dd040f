/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the whole desired state: to that of a file, or of a generation. */
#ifndef HOLDFAST_CLI_CHANGE_WHOLE_H
#define HOLDFAST_CLI_CHANGE_WHOLE_H

#include <jansson.h>

#include "cli/frame/request.h"

/* Posts body, to which it adds what the call says of dry_run and force. As request_try(). */
enum exit_status change_send_whole(const struct call *call, const char *path, json_t *body, bool dry_run,
				   struct answer *ret, struct refusal *refusal);
/*
 * Posts a change of the whole desired state (body, to which it adds) and prints what happened to subject.
 * Where the daemon refuses it because it moves more than its move_limit, and there is a terminal, it asks.
 */
enum exit_status change_whole(const struct call *call, const char *path, json_t *body, const char *subject);

#endif
