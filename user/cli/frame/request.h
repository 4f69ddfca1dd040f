/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the daemon: HTTP with JSON over its Unix socket (docs/api.md). */
#pragma once

#include <jansson.h>

#include "call.h"

struct answer {
	char *text;   /* the body as it came, without trailing white space */
	json_t *json; /* the same, read */
};

/*
 * Asks for path, whose "%s" are filled with the words, escaped; words may be NULL where it has none. body:
 * what to post, or NULL. It waits as long as the daemon lives (liveness.h). Anything but STATUS_DONE says how
 * it failed, refused or unreachable, and *refusal why. The caller frees the answer.
 */
enum exit_status request_try(const struct call *call, const char *path, const char *const *words,
			     const json_t *body, struct answer *ret, struct refusal *refusal);
/* The same without a body, or without words. Where they fail they have complained already. */
enum exit_status request_get(const struct call *call, const char *path, const char *const *words,
			     struct answer *ret);
enum exit_status request_post(const struct call *call, const char *path, const json_t *body,
			      struct answer *ret);
/* Asks as request_get() and prints the answer: with --json as it came, else by print. */
enum exit_status request_show(const struct call *call, const char *path, const char *const *words,
			      void (*print)(const json_t *answer));
void answer_free(struct answer *answer);
/* Prints the answer for --json. */
enum exit_status answer_print(const struct answer *answer);
