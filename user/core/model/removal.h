/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removals: backends that a command removed. A configuration that names one does not bring it back, because
 * the operator meant to remove it; `backend add` does. A configuration that no longer names it ends the
 * removal: named again later, it is a new backend.
 *
 * A removal outlives its backend's drain. So a file has the same effect on a balancer where the drain has
 * ended and on one where it goes on.
 */
#pragma once

#include "model.h"

/* A pool keeps its latest removals, so many at most. */
enum { REMOVALS_MOST = 256 };

struct removal *model_removal(const struct model *model, const char *pool, const char *name);

/* Notes that a command removed the backend at now (Unix milliseconds). 0 or -ENOMEM. */
int removal_note(struct model *model, const struct pool *pool, const struct backend *backend, int64_t now);
/* A backend of this name is in the pool again. */
void removal_forget(struct model *model, const char *pool, const char *name);
/* The pool is gone. */
void removals_forget(struct model *model, const char *pool);
/*
 * Takes the removals of before over into after, a configuration's model, and the backends that they are of
 * out of it. Those that it does not name, or names at another address, are forgotten. 0 or -ENOMEM.
 */
int removals_keep(struct model *after, const struct model *before);
