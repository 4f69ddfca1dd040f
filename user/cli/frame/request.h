/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the daemon: HTTP with JSON over its Unix socket (docs/api.md). */
#ifndef HOLDFAST_CLI_REQUEST_H
#define HOLDFAST_CLI_REQUEST_H

#include <jansson.h>

#include "call.h"

struct answer {
	char *text;   /* the body as it came, without trailing white space */
	json_t *json; /* the same, read */
};

/*
 * Asks for path ("/v1/status"). On anything but a good answer it has complained already, and the status says
 * how: refused, or unreachable. It waits as long as the daemon lives (liveness.h). The caller frees the
 * answer.
 */
enum exit_status request_get(const struct call *call, const char *path, struct answer *ret);
/* As request_get() with a body. */
enum exit_status request_post(const struct call *call, const char *path, const json_t *body,
			      struct answer *ret);
/* As request_post(), but leaves it to the caller to complain, of what *refusal then says. */
enum exit_status request_try(const struct call *call, const char *path, const json_t *body,
			     struct answer *ret, struct refusal *refusal);
void answer_free(struct answer *answer);
/* Prints the answer for --json. */
enum exit_status answer_print(const struct answer *answer);

/* Text fit to stand in a path or query, between slashes or ampersands; the caller frees it. NULL: no memory.
 */
char *request_escape(const char *text);
/* Asks for path, whose "%s" are filled with the words, escaped. */
enum exit_status request_get_named(const struct call *call, const char *path, const char *const *words,
				   struct answer *ret);
/* The same, but prints no refusal: *refusal has it for the caller. */
enum exit_status request_try_named(const struct call *call, const char *path, const char *const *words,
				   struct answer *ret, struct refusal *refusal);

#endif
