/* SPDX-License-Identifier: Apache-2.0 */
/* Options that are keys of the configuration: how they are called, what they take and their help come from
 * the key. */
#pragma once

#include "verb.h"

/*
 * Makes the options of every verb that has keys, once for the whole run. 0 or -ENOMEM. Until it has run, a
 * verb has only the options of its row.
 */
int key_options_make(const struct program *program);
/* What a verb takes: the options of its row, then one for each key of its schema. Ends with name NULL; may be
 * NULL. */
const struct option *verb_options(const struct verb *verb);
/* The key that an argument of kind VALUE_KEY is; NULL for any other. */
const struct schema_key *argument_key(const struct verb *verb, const struct argument *argument);

/* Checks a value as the configuration would. 0, or -EINVAL with *refusal filled. */
int key_check(const struct schema_key *key, const char *text, struct refusal *refusal);
