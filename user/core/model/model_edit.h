/* SPDX-License-Identifier: Apache-2.0 */
/* How core itself changes models: sorted lists, and places in them. */
#ifndef HOLDFAST_MODEL_EDIT_H
#define HOLDFAST_MODEL_EDIT_H

#include "model.h"

/* The order in which the lists of a model are kept, as qsort() and bsearch() take it. */
int interface_order(const void *a, const void *b);
int pool_order(const void *a, const void *b);
int backend_order(const void *a, const void *b);
int service_order(const void *a, const void *b);
int removal_order(const void *a, const void *b);

/* Inserts a copy of *item in order. 0, -EEXIST where an equal one is there, -ENOMEM. */
int model_insert_interface(struct model *model, const struct interface *item);
int model_insert_pool(struct model *model, const struct pool *item); /* takes its backends and ranges over */
int model_insert_service(struct model *model, const struct service *item);
int model_insert_removal(struct model *model, const struct removal *item);
int pool_insert_backend(struct pool *pool, const struct backend *item);

/* Removes an item of the list, given by its address there. */
void model_remove_interface(struct model *model, struct interface *item);
void model_remove_pool(struct model *model, struct pool *item);
void model_remove_service(struct model *model, struct service *item);
void model_remove_removal(struct model *model, struct removal *item);
void pool_remove_backend(struct pool *pool, struct backend *item);

/* Sorts every list of a model that was filled in any order. */
void model_sort(struct model *model);

#endif
