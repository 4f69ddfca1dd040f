/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removals: backends that a command removed. A configuration that names one does not bring it back, for
 * whoever removed it meant it; `backend add` does. A configuration that names it no more agrees, and the
 * removal is forgotten: named again later, it is a new backend.
 *
 * A removal outlives its backend's drain. So a file makes the same of a balancer where that has ended and of
 * one where it goes on.
 */
#ifndef HOLDFAST_REMOVAL_H
#define HOLDFAST_REMOVAL_H

#include "model.h"

/* A pool keeps its latest ones: more were never in one file with what it names. */
enum { REMOVALS_MOST = 256 };

/* The order of a model's removals, as qsort() and bsearch() take it. */
int removal_order(const void *a, const void *b);
const struct removal *model_removal(const struct model *model, const char *pool, const char *name);

/* Notes that a command removed the backend at now (Unix milliseconds). 0 or -ENOMEM. */
int removal_note(struct model *model, const struct pool *pool, const struct backend *backend, int64_t now);
/* Somebody put a backend of this name into the pool again. */
void removal_forget(struct model *model, const char *pool, const char *name);
/* The pool is gone. */
void removals_forget(struct model *model, const char *pool);
/*
 * Takes the removals of before over into after, a configuration's model, and the backends that they are of
 * out of it. Those that it does not name, or names at another address, are forgotten. 0 or -ENOMEM.
 */
int removals_keep(struct model *after, const struct model *before);

#endif
