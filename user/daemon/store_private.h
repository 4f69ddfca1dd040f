/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a store, shared by its contents and the watch over its file. */
#ifndef HOLDFAST_STORE_PRIVATE_H
#define HOLDFAST_STORE_PRIVATE_H

#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

#include "store.h"

/* Which file it is, whatever its name. */
struct file_identity {
	dev_t device;
	ino_t number; /* 0: there was none */
};

struct store {
	sqlite3 *db;
	char path[PATH_MAX];
	struct file_identity file, log;
	struct refusal problem; /* why nothing can be written; empty: it can, as far as is known */
	bool failed;            /* a write has failed: only one that works ends the problem */
	size_t largest;         /* bytes of the largest generation that was to be written */
};

/* Opens the database at path, and learns which files it has. sqlite3_close(*ret) also after a failure. */
int store_open_file(const char *path, sqlite3 **ret, struct refusal *refusal);
/* Takes note of the files that store->db has open, and sees to it that no commit goes to others. */
void store_watch_begin(struct store *store);

#endif
