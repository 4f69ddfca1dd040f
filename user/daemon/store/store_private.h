/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a store. Its files are named in their order: each uses only those before it.
 */
#pragma once

#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

#include "store.h"

enum { SUFFIX = 8 /* bytes of "-wal", "-shm" or ".new", and more */ };

/* Which file it is, whatever its name. */
struct file_identity {
	dev_t device;
	ino_t number; /* 0: there was none */
};

/* What was refused after its commit, and is not taken back yet. */
struct withdrawal {
	uint32_t number; /* the generation; 0: none */
	char *ledger;    /* as it was before; NULL: it stays */
	struct fact fact;
	bool is_due, has_fact;
};

struct store {
	sqlite3 *db;
	char path[PATH_MAX];
	struct store_limits limits;
	struct file_identity file, log;
	int index;              /* descriptor of the file "-shm", which has the locks; -1: not opened. See
				   store_statement.c */
	struct refusal problem; /* why nothing can be written; empty: it can, as far as is known */
	bool failed;            /* a write has failed: only one that works ends the problem */
	bool held;              /* a transaction has begun for what comes next */
	size_t largest;         /* bytes of the largest generation that was to be written, with its ledger */
	size_t reserved;        /* bytes that the file and its log are known to have room for */
	struct withdrawal withdrawal;
};

/* store_file.c: which file the database is -------------------------------------- */

/* Takes note of the files that store->db has open, and sees to it that no commit goes to others. */
void store_watch_begin(struct store *store);
/* Whether commits check that they go to the files that were noted. */
void store_check_commits(struct store *store, bool check);
/* The file of that name and suffix now. */
struct file_identity store_identify(const char *path, const char *suffix);
bool store_same_file(struct file_identity a, struct file_identity b);
bool store_is_moved(const struct store *store);
int store_refuse_moved(const struct store *store, struct refusal *refusal);

/* store_statement.c ------------------------------------------------------------- */

/* Who has a lock: "another process" or "sqlite3 (process 4711)". */
enum store_lock { STORE_WRITER, STORE_READERS };
void store_lock_holder(struct store *store, enum store_lock which, char *text, size_t room);
/* What SQLite's result code and the system's errno are as a negative errno. */
int database_errno(int code, int number);
/* Fills the refusal (may be NULL) from what SQLite said last, and remembers that the store cannot be written.
 * -ENOLCK: another process holds the lock. */
int store_refuse(struct store *store, const char *doing, struct refusal *refusal);

/* Statements: freed at the end of their block. What cannot be prepared is NULL, and fails at its step. */
void statement_end(sqlite3_stmt **statement);
#define STATEMENT __attribute__((cleanup(statement_end))) sqlite3_stmt *
sqlite3_stmt *statement_begin(const struct store *store, const char *sql);
void statement_bind(sqlite3_stmt *statement, int index, const char *text);
void statement_copy(sqlite3_stmt *statement, int column, char *to, size_t room);
/* The first column of the first row as a number; 0: there is none. */
int64_t statement_number(const struct store *store, const char *sql);
/* Runs one that has no rows. 0, or the refusal, whose sentence says what it was `doing`. */
int statement_run(struct store *store, sqlite3_stmt *statement, const char *doing, struct refusal *refusal);

/* store_generations.c: rows, in the transaction that has begun ------------------- */

int store_write_generation(struct store *store, const struct stored_change *change, struct refusal *refusal);
int store_delete_generation(struct store *store, uint32_t number, struct refusal *refusal);
int store_write_ledger(struct store *store, const char *text, struct refusal *refusal);
int store_write_fact(struct store *store, const struct fact *fact, struct refusal *refusal);

/*
 * store_transaction.c: a transaction that writes. What is still to be taken back is taken back in it first.
 * store_end() commits where error is 0, and else rolls back; it returns why nothing was committed, or 0.
 */
int store_begin(struct store *store, struct refusal *refusal);
int store_end(struct store *store, int error, struct refusal *refusal);
/* Bytes: of a page, of pages that hold nothing, of all pages. */
int64_t store_page_size(const struct store *store);
int64_t store_free_bytes(const struct store *store);
int64_t store_all_bytes(const struct store *store);
/* What file and log should have room for: one more change. */
size_t store_reserve_size(const struct store *store);

/* store_events.c: forgets all but the newest, of changes and of each other kind: part of a transaction. */
int store_trim_events(struct store *store, int changes, int others);

/* store_room.c: forgetting, and a full disk -------------------------------------- */

/* Forgets generations until `needed` more bytes stay under the limits: part of the transaction that has
 * begun. */
int store_trim(struct store *store, size_t needed, struct refusal *refusal);
/* The disk is full: forgets what is old until its place is enough for `needed` bytes, and whatever may be
 * forgotten if it is not. Whether another try is worth it: the log begins anew too. */
bool store_make_room(struct store *store, size_t needed);
/* Reserves the place that one more change takes in file and log, for when the disk is full. */
int store_reserve(struct store *store, struct refusal *refusal);
/* Writes a file that is mostly empty, as an older version may have left it, again without the free pages. */
void store_shrink(struct store *store);

/* store.c: opens the database at path. sqlite3_close(*ret) also after a failure. */
int store_open_file(const char *path, sqlite3 **ret, struct refusal *refusal);
