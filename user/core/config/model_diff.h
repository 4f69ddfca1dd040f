/* SPDX-License-Identifier: Apache-2.0 */
/* What is different between two models, for people. */
#pragma once

#include "core/model/model.h"

/*
 * A list of {"noun": "backend", "name": "db/db2", "change": "add"|"remove"|"change", "keys": {"weight":
 * {"before": 100, "after": 200}}}, in the order instance, interfaces, pools with their backends, services.
 * "keys" names, of an object that changed, the keys that did; of one that came or went, those that are not
 * the default. Empty for equal models. New reference; NULL: out of memory.
 */
json_t *model_diff(const struct model *before, const struct model *after);
