/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database that is lost, or older than what the data plane does. If the pins serve what the database does
 * not know, the daemon leaves them as they are and refuses to start (-ENOTRECOVERABLE), until somebody
 * restores the database or uses --fresh.
 */
#pragma once

#include "daemon/instance.h"

/* For a database at path that is not there, or holds no generation: whether the pins serve nothing. */
int recovery_check_lost(const struct options *options, const char *path, struct refusal *refusal);
/* For one that has a generation: whether its ledger gave every number that the pins use. */
int recovery_check_numbers(const struct instance *instance, const char *path, const struct image *loaded,
			   struct refusal *refusal);
/*
 * --fresh: gives instance the model that the configuration states, a ledger in which what the pins have keeps
 * its numbers, and a generation after theirs. Nothing is written. A configuration that cannot be read is
 * refused, and so is none where the pins serve.
 */
int recovery_begin(struct instance *instance, struct refusal *refusal);
/* --fresh: renames the database, if there is one, so that it can be looked at later. */
int recovery_set_aside(const char *path, struct refusal *refusal);
