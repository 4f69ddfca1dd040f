/* SPDX-License-Identifier: Apache-2.0 */
/* Models as JSON in configuration's words, and back. */
#pragma once

#include "core/model/model.h"

/* Keys and words as in the configuration file; admin states, health rules and times included. New reference /
 * new model. */
json_t *model_to_json(const struct model *model);
int model_from_json(const json_t *json, struct model **ret, struct refusal *refusal);

/*
 * Makes a model of JSON in configuration's words. On refusal path names the key at fault, such as
 * "pools[0].backends[1].weight" ("" for the whole), and refusal->where says the same. 0, -EINVAL, -EEXIST,
 * -ENOENT, -ENOSPC, -ENOMEM.
 */
enum { PATH_SIZE = 160 };
int model_read(const json_t *json, struct model **ret, char path[PATH_SIZE], struct refusal *refusal);
/* Writes a model without the keys that bear one of the schema's flags in without. New reference. */
json_t *model_write(const struct model *model, unsigned int without);
