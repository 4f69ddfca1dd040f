/* SPDX-License-Identifier: Apache-2.0 */
/* A call: one command line, read by a program's tables. Every word of it has passed its value_check(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/value/refusal.h"
#include "verb.h"

struct given {
	const struct option *option;
	const char *value; /* NULL: a flag */
};

struct call {
	const struct program *program;
	char **argv;             /* the command line as it was typed */
	const struct noun *noun; /* of the verb */
	const struct verb *verb; /* NULL: only global options, or help of a noun */
	bool json, offline, dry_run, force;
	bool help; /* -h, --help: words are what help is wanted for */
	bool version;
	const char *instance, *runtime_dir, *state_dir;
	const char *patience;    /* a duration: how long the daemon may be silent */
	const char *signed_word; /* the first that begins with one '-' and is no option; NULL: none */
	const char **words;      /* arguments, without noun and verb; all words where verb is NULL */
	size_t word_count;
	struct given *given;
	size_t given_count;
};

/* Reads argv; what *ret holds borrows its strings. 0, -ENOMEM, or -EINVAL with *refusal filled. */
int call_parse(const struct program *program, int argc, char **argv, struct call *ret,
	       struct refusal *refusal);
void call_free(struct call *call);

/* Of call_check.c: whether what was typed is what the rows ask for. Refusals name the option or the argument.
 */

/* Checks an option's value. 0, or -EINVAL with *refusal filled. */
int option_check(const struct option *option, const char *value, struct refusal *refusal);
/* Says in *refusal what values the option takes. */
void option_right(const struct option *option, struct refusal *refusal);
/* Checks options and words against the call's verb; from here on the options point to its own rows. */
int call_check(struct call *call, struct refusal *refusal);

/* Argument number n, or NULL where it was left out. */
const char *call_argument(const struct call *call, size_t n);
/* The option's value, the last one if it was given twice; NULL: not given. */
const char *call_option(const struct call *call, const char *name);
bool call_flag(const struct call *call, const char *name);
/* All values of an option that repeats, in order: the next one after *position (at first 0), NULL at the end.
 */
const char *call_next(const struct call *call, const char *name, size_t *position);
