/* SPDX-License-Identifier: Apache-2.0 */
/* How core itself changes models: sorted lists, and places in them. */
#pragma once

#include "model.h"
#include "schema_table.h"

/* The order in which the lists of a model are kept, as qsort() and bsearch() take it. */
int name_order(const void *a, const void *b); /* of interfaces and pools */
int backend_order(const void *a, const void *b);
int service_order(const void *a, const void *b);
int removal_order(const void *a, const void *b);

/* Inserts a copy of *item, one of the list of this kind, in order; what it owns is the list's from then on.
 * 0, -EEXIST where an equal one is there, -ENOMEM. */
int model_insert(struct model *model, const struct schema *kind, const void *item);
int pool_insert_backend(struct pool *pool, const struct backend *item);

/* Removes an item of the list of this kind, given by its address there, and frees what it owns. */
void model_remove(struct model *model, const struct schema *kind, void *item);
void pool_remove_backend(struct pool *pool, struct backend *item);

/* Sorts every list of a model that was filled in any order. */
void model_sort(struct model *model);
