/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema: the keys of one kind of object, a row each. A row says what a key means, which values it takes
 * and where in its struct the value lives; reading, writing and refusals all come from the rows. Which keys
 * there are is in core/model/schema_table.h.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/value/refusal.h"

enum schema_type {
	SCHEMA_NAME, /* char[]: letters, digits, '-', '_', '.', first a letter or digit; shorter than size */
	SCHEMA_NUMBER,   /* unsigned, low..high, size bytes */
	SCHEMA_CHOICE,   /* one of the words; size bytes */
	SCHEMA_BOOL,     /* true or false */
	SCHEMA_DURATION, /* uint32_t seconds: "2h", "1h30m", or the number 7200 */
	SCHEMA_TIME,     /* int64_t Unix milliseconds */
	SCHEMA_SEED,     /* uint64_t: 16 hexadecimal digits, not all 0 */
	SCHEMA_ADDRESS,  /* struct address: of one host */
	SCHEMA_SOURCE,   /* struct prefix[2]: at most one of IPv4, one of IPv6, with a comma between */
	SCHEMA_LISTEN,   /* struct listen: "tcp 203.0.113.10:5432" */
	SCHEMA_MEMBERS,  /* char *, owned: a member set as text (history.h) */
	SCHEMA_PERCENT,  /* uint32_t thousandths: 1, 0.5, "0.5"; low..high thousandths */
	SCHEMA_RANGES,   /* char *, owned: a slot assignment as text (slot_range.h) */
	SCHEMA_LIST,     /* struct schema_list, of objects of schema items; read and written by who owns it */
};

enum {
	SCHEMA_REQUIRED = 1,
	SCHEMA_QUIET = 2,     /* written only when it is not the default */
	SCHEMA_STATE = 4,     /* changed by verbs while traffic flows; in files only where they carry state */
	SCHEMA_FILE = 8,      /* of the file itself, kept nowhere; high is its only value */
	SCHEMA_FACT = 32,     /* a fact beside the model: in no generation, and no difference */
	SCHEMA_NOTE = 16,     /* noted beside a change of another key: never a difference by itself */
	SCHEMA_DIGESTED = 64, /* counts in digests also where it is the default */
};

struct schema_key {
	const char *name;
	enum schema_type type;
	unsigned int flags;
	size_t offset, size; /* of the value in its struct */
	int64_t low, high;   /* of numbers; SCHEMA_CHOICE: high is the last word that counts, 0: all do */
	const char *const *words; /* SCHEMA_CHOICE: ends with NULL */
	const char *standard;     /* the default as text; NULL: all bits 0, which help explains */
	const struct schema *items;
	const char *scheme; /* an option that this scheme alone asks for; NULL: asked by all */
	const char
		*value; /* what stands for a value in help: "PORT"; a choice has its words, a flag nothing */
	const char *help; /* sentences for the manual page; help shows the first */
};

struct schema {
	const char *noun;              /* "backend" */
	const char *identity;          /* the key that names an object in its list; NULL for the root */
	const struct schema_key *keys; /* ends with name == NULL */
	size_t size;                   /* of the struct */
	int (*order)(const void *, const void *); /* in which lists of them are kept; NULL: another */
};

const struct schema_key *schema_find(const struct schema *schema, const char *name);
/* Sets every key of *object that has a default to it, everything else to 0. */
void schema_defaults(const struct schema *schema, void *object);
/* Reads one value. Numbers, durations and truth also come as text. A text that the object owned is freed. 0,
 * or -EINVAL with what and right filled, where empty, and the object as it was. Not for lists. */
int schema_read(const struct schema_key *key, void *object, const json_t *value, struct refusal *refusal);
struct diagnosis;
/* Whether a text is a value of key. 0, or -EINVAL with *ret_fault filled (diagnosis.h). */
int schema_check(const struct schema_key *key, const char *text, struct diagnosis *ret_fault);
/* What is wrong with a text that key does not take; nothing where schema_describe() says it all. */
struct diagnosis schema_diagnose(const struct schema_key *key, const char *text);
/* Fills *refusal for a value of key that cannot be read, or is out of its range. */
void schema_refuse(const struct schema_key *key, const json_t *value, bool out_of_range,
		   struct refusal *refusal);
/* New reference; NULL: out of memory. Not for lists. */
json_t *schema_write(const struct schema_key *key, const void *object);
/* Writes the default of key (all bits 0 where it has none) at its place in a struct. */
void schema_read_standard(const struct schema_key *key, void *at);
bool schema_is_default(const struct schema_key *key, const void *object);

/* Of values by their places in a struct. */
bool schema_equal(const struct schema_key *key, const void *a, const void *b);
/* A number that tells the values of one key apart: the value itself, of text a hash. */
uint64_t schema_digest(const struct schema_key *key, const void *at);
/* Whether the values of key are texts that their object owns. */
bool schema_owns(const struct schema_key *key);
/* Gives a value that was copied byte by byte a text of its own. 0, or -ENOMEM: then it has none. */
int schema_own(const struct schema_key *key, void *at);
/* Frees what a value owns, and leaves it empty. */
void schema_release(const struct schema_key *key, void *at);

/* A list as its struct holds it: a pointer to its items, and their count right behind. */
struct schema_list {
	void *items;
	size_t count;
};
struct schema_list schema_list_of(const struct schema_key *key, const void *object);
void schema_list_set(const struct schema_key *key, void *object, struct schema_list list);
/* An object with texts and lists of its own, in the place of *copy. 0, or -ENOMEM: then it is incomplete, and
 * must be released all the same. */
int schema_copy_object(const struct schema *schema, void *copy, const void *from);
/* Frees the texts and lists of an object, and leaves them empty. */
void schema_release_object(const struct schema *schema, void *object);
/* The same of one list; what *copy had there is not freed. */
int schema_copy_list(const struct schema_key *key, void *copy, const void *from);
void schema_release_list(const struct schema_key *key, void *object);

/*
 * Reads every key but lists of an object, defaults where it is silent. Refuses what is no object, unknown
 * keys (naming near misses) and missing ones. *ret_key, where not NULL, is the key at fault, NULL for the
 * object itself.
 */
int schema_read_object(const struct schema *schema, void *object, const json_t *json, const char **ret_key,
		       struct refusal *refusal);
/* Writes every key but lists, with neither quiet defaults nor keys that bear one of the flags in without. New
 * reference. */
json_t *schema_write_object(const struct schema *schema, const void *object, unsigned int without);
/* -EINVAL: "unknown key", with the near miss or all keys as what would be right. */
int schema_unknown(const struct schema *schema, const char *key, struct refusal *refusal);

/* The word of a choice; NULL beyond the last. */
const char *schema_word(const struct schema_key *key, unsigned int value);
/* "a number from 0 to 65535", "tcp or udp", ...: what would be right for key. Returns text. */
const char *schema_describe(const struct schema_key *key, char *text, size_t size);
