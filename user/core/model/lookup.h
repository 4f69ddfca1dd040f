/* SPDX-License-Identifier: Apache-2.0 */
/* Objects by the names that somebody typed. */
#ifndef HOLDFAST_LOOKUP_H
#define HOLDFAST_LOOKUP_H

#include "model.h"

/* The named object, borrowed, or NULL with *refusal filled, near misses named. */
struct pool *named_pool(const struct model *model, const char *name, struct refusal *refusal);
struct backend *pool_named_backend(const struct pool *pool, const char *name, struct refusal *refusal);

#endif
