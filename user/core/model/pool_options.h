/* SPDX-License-Identifier: Apache-2.0 */
/* A pool's options: what only one scheme asks of it. They are part of its member set. */
#pragma once

#include "model.h"

bool pool_options_equal(const struct pool_options *a, const struct pool_options *b);
/* A number that differs where the options do; 0 for every default. */
uint64_t pool_options_digest(const struct pool_options *options);
/* Options with texts of their own, in the place of *ret. 0 or -ENOMEM. */
int pool_options_copy(struct pool_options *ret, const struct pool_options *from);
/* Frees what the options own. */
void pool_options_release(struct pool_options *options);

/* Refuses options that the pool's scheme does not know, by name; *ret_key is the key. 0 or -EINVAL. */
int pool_options_check(const struct pool *pool, const char **ret_key, struct refusal *refusal);
/* Sets the options that the pool's scheme does not know to their defaults, but for those that are stated. */
void pool_options_forget(struct pool *pool, const json_t *stated);
/* Those that the pool's scheme knows, defaults too, as configurations write them. New reference. */
json_t *pool_options_to_json(const struct pool *pool);
