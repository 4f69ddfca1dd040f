/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb table: every command of holdfast as one row. Parsing, help, completion and the manual page all
 * come from it, so that a verb that is not here is nowhere, and one that is here is everywhere.
 */
#ifndef HOLDFAST_CLI_VERB_H
#define HOLDFAST_CLI_VERB_H

#include <stdbool.h>
#include <stddef.h>

#include "value.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_REFUSED = 1, /* or --check found it degraded */
	STATUS_USAGE = 2,
	STATUS_TIMED_OUT = 3,
	STATUS_UNREACHABLE = 4,
};

enum verb_flags {
	VERB_CHANGES = 1,       /* takes --dry-run and --force */
	VERB_WORKS_OFFLINE = 2, /* takes --offline */
	VERB_SIGNED_WORDS = 4   /* its words may begin with one '-' */
};

/* A word that stands by its place. Optional ones, and at most one that repeats, come last. */
struct argument {
	const char *name;     /* as help shows it: "POOL/NAME" */
	enum value_kind kind; /* how it is checked */
	const char *key;      /* its name among the operation's arguments; NULL: not one of them */
	bool optional;
	bool repeats;        /* one or more; optional and repeats: none or more */
	const char *choices; /* VALUE_WORD: the words, separated by spaces */
};

/*
 * A word that begins with "--" and may stand anywhere. An option of one name takes a value in every verb or
 * in none. Its key among an operation's arguments is its name with '_' for '-'.
 */
struct option {
	const char *name; /* without "--" */
	enum value_kind kind;
	const char *value; /* its value as help shows it; NULL: a flag, or the choices themselves */
	const char *help;  /* half a sentence, no full stop */
	bool repeats; /* may be given again; words behind it are taken too as long as they are such values */
	const char *choices; /* VALUE_WORD: the words, separated by spaces */
	bool required;       /* must be given */
	bool local;          /* for the command itself: no argument of the operation */
};

struct call;

struct verb {
	const char *noun;
	const char *verb;                 /* "add", "slots show"; "" where the noun stands alone */
	const struct argument *arguments; /* ends with name NULL; may be NULL */
	const struct option *options;     /* ends with name NULL; may be NULL */
	const char *help;                 /* half a sentence, no full stop */
	const char *example;              /* a command line that works, behind "holdfast " */
	const char *uses;                 /* the operation, or "GET /v1/..."; NULL: no daemon */
	const char *done;                 /* of an operation, as a past participle: "added" */
	const char *details;              /* sentences for its own help and the manual; may be NULL */
	unsigned flags;
	enum exit_status (*run)(const struct call *call);
};

/* How rows are written: lists of these, further members behind what every one has. */
#define ARGUMENTS(...) ((const struct argument[]){__VA_ARGS__, {.name = NULL}})
#define OPTIONS(...)   ((const struct option[]){__VA_ARGS__, {.name = NULL}})
#define ARGUMENT(name_, kind_, key_, ...)                              \
	{                                                              \
		.name = name_, .kind = kind_, .key = key_, __VA_ARGS__ \
	}
#define FLAG(name_, help_, ...)                                               \
	{                                                                     \
		.name = name_, .kind = VALUE_FLAG, .help = help_, __VA_ARGS__ \
	}
#define OPTION(name_, kind_, value_, help_, ...)                                          \
	{                                                                                 \
		.name = name_, .kind = kind_, .value = value_, .help = help_, __VA_ARGS__ \
	}
#define CHOICE(name_, choices_, help_, ...)                                                        \
	{                                                                                          \
		.name = name_, .kind = VALUE_WORD, .choices = choices_, .help = help_, __VA_ARGS__ \
	}

struct noun {
	const char *name;
	const char
		*help; /* what it is, for the first page of help; NULL: for those who build packages alone */
};

extern const struct noun nouns[];            /* in the order of help; ends with name NULL */
extern const struct verb verbs[];            /* ends with noun NULL */
extern const struct option global_options[]; /* ends with name NULL */

/*
 * The verb that words begin with, and how many of them name it. Unambiguous beginnings of two letters or more
 * will do; a noun that has a `list` and no word behind it means that. NULL with *refusal filled: none or
 * several.
 */
const struct verb *verb_find(const char *const *words, size_t count, size_t *ret_taken,
			     struct refusal *refusal);
/* The noun of that name or unambiguous beginning. */
const struct noun *noun_find(const char *word, struct refusal *refusal);
const struct option *verb_option(const struct verb *verb, const char *name);
/* An option of that name in the globals or in any verb. */
const struct option *option_find(const char *name);

#endif
