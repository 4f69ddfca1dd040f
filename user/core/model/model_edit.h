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
void pool_remove_backend(struct pool *pool, struct backend *item);

/* Sorts every list of a model that was filled in any order. */
void model_sort(struct model *model);

/* Which object and key a refusal is about, for those who know where in a file it stands. */
struct fault {
	enum { FAULT_MODEL, FAULT_INTERFACE, FAULT_POOL, FAULT_BACKEND, FAULT_SERVICE } kind;
	const void *object; /* of the model: struct interface, pool, backend or service; NULL for the model */
	const struct pool *pool; /* FAULT_BACKEND: whose */
	const char *key;         /* NULL: the object itself */
};

/* model_check() that also tells the place. *ret_fault is filled where the result is negative. */
int model_check_fault(const struct model *model, struct fault *ret_fault, struct refusal *refusal);
/*
 * Makes a model of JSON in configuration's words. On refusal path names the key at fault, such as
 * "pools[0].backends[1].weight" ("" for the whole), and refusal->where says the same. 0, -EINVAL, -EEXIST,
 * -ENOENT, -ENOSPC, -ENOMEM.
 */
enum { PATH_SIZE = 160 };
int model_read(const json_t *json, struct model **ret, char path[PATH_SIZE], struct refusal *refusal);
/* Writes a model without the keys that bear one of the schema's flags in without. New reference. */
json_t *model_write(const struct model *model, unsigned int without);
/* One pool with its backends. New reference. */
json_t *pool_write(const struct pool *pool, unsigned int without);

/* "pool db, backend db2" as refusal->where. */
void fault_where(const struct fault *fault, struct refusal *refusal);

#endif
