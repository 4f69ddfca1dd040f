/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a program: its nouns, and the verbs of each as one row. Parsing, help, completion and the
 * manual page all come from them, so that a verb that is not here is nowhere, and one that is here is
 * everywhere.
 */
#pragma once

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
	VERB_CHANGES = 1,       /* takes --dry-run and --force; what has a done, without saying so */
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
 * in none. Its key among an operation's arguments is that of its schema, or else its name.
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
	/* Whose key of this name it is: what the row leaves out comes from the key. NULL: it is no key. */
	const struct schema *keys;
	const struct schema_key *key; /* found by key_options_make() */
};

struct call;

struct verb {
	const char *verb;                 /* "add", "slots show"; "" where the noun stands alone */
	const struct argument *arguments; /* ends with name NULL; may be NULL */
	const struct option *options;     /* ends with name NULL; may be NULL: verb_options() has them all */
	const struct schema *keys;        /* each key of it is an option, too (key_option.h); may be NULL */
	const char *help;                 /* half a sentence, no full stop */
	const char *example;              /* words and options that work; NULL: it needs none */
	const char *uses;                 /* the operation, or "GET /v1/..."; NULL: no daemon */
	const char *done;                 /* of a change, as a past participle: "added" */
	const char *details;              /* sentences for its own help and the manual; may be NULL */
	unsigned flags;
	enum exit_status (*run)(const struct call *call);
};

/* How rows are written: lists of these, further members behind what every one has. */
#define ARGUMENTS(...) ((const struct argument[]){__VA_ARGS__, {.name = NULL}})
#define VERBS(...)     ((const struct verb[]){__VA_ARGS__, {.verb = NULL}})
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
/* help_ NULL: the key's. */
#define KEY(name_, keys_, help_, ...)                                    \
	{                                                                \
		.name = name_, .keys = keys_, .help = help_, __VA_ARGS__ \
	}
#define CHOICE(name_, choices_, help_, ...)                                                        \
	{                                                                                          \
		.name = name_, .kind = VALUE_WORD, .choices = choices_, .help = help_, __VA_ARGS__ \
	}

struct noun {
	const char *name;
	const char
		*help; /* what it is, for the first page of help; NULL: for those who build packages alone */
	const struct verb *verbs;                         /* ends with verb NULL */
	enum exit_status (*run)(const struct call *call); /* what a verb without a run of its own does */
	bool unsaid; /* the program is about this noun: its verbs may stand without it */
};

struct program {
	const char *name;                /* as it is typed: "holdfast" */
	const char *section;             /* of its manual page: "8" */
	const struct noun *const *nouns; /* in the order of help; ends with NULL */
};

extern const struct option global_options[]; /* of every program; ends with name NULL */

/*
 * The verb that words begin with, its noun, and how many of them name it. Unambiguous beginnings of two
 * letters or more will do; a noun that has a `list` and no word behind it means that. NULL with *refusal
 * filled: none or several.
 */
const struct verb *verb_find(const struct program *program, const char *const *words, size_t count,
			     const struct noun **ret_noun, size_t *ret_taken, struct refusal *refusal);
/* The program's noun that need not be said; NULL: none. */
const struct noun *noun_unsaid(const struct program *program);
/* The noun of that name or unambiguous beginning. */
const struct noun *noun_find(const struct program *program, const char *word, struct refusal *refusal);
const struct option *verb_option(const struct verb *verb, const char *name);
/* An option of that name in the globals or in any verb. */
const struct option *option_find(const struct program *program, const char *name);
unsigned verb_flags(const struct verb *verb);
/* The flags of all its verbs. */
unsigned program_flags(const struct program *program);
/* Whether a global option means something to a verb, or a program, with these flags. */
bool option_applies(const struct option *option, unsigned flags);

/* "pool slots show", "status": as a verb is typed. Returns text. */
enum { VERB_TEXT = 64, EXAMPLE_TEXT = 256 };
const char *verb_text(const struct noun *noun, const struct verb *verb, char text[VERB_TEXT]);
/* A whole command line that works: "holdfast pool show db". Returns text. */
const char *example_text(const struct program *program, const struct noun *noun, const struct verb *verb,
			 char text[EXAMPLE_TEXT]);
