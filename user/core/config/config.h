/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files: YAML 1.2 by the schema (schema.h), in which every refusal has line and column.
 *
 * Aliases are refused: they make files that are short to write and endless to read.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/model/model.h"
#include "core/value/refusal.h"

enum { CONFIG_MAX_SIZE = 16 << 20 }; /* bytes; whoever reads a file need not read more */

/*
 * Reads and checks a whole configuration. *ret_configuration is what operation model.apply takes as its
 * argument of that name; the caller drops it. Refuses what is too large (before it is parsed), not UTF-8, not
 * YAML, not of the schema, or no valid model: refusal->where is "line 7, column 12:
 * pools[0].backends[1].weight", as far as there is a place. 0, -EINVAL, -EFBIG, -EEXIST, -ENOENT, -ENOSPC,
 * -ENOMEM.
 */
int config_parse(const char *text, size_t length, json_t **ret_configuration, struct refusal *refusal);

/*
 * Words for a configuration file that cannot be read. Returns error, a negative errno of open(2) or read(2);
 * -EISDIR for a directory, -ENXIO for a socket. The caller says where: it knows the file's name.
 */
int config_refuse_file(int error, struct refusal *refusal);

/*
 * Writes a model as a configuration that reads back as the same model: what has its default is left out, and
 * so are backends that are only here until they are drained. state: with admin states, health rules and their
 * times, and every backend. The caller frees *ret_text. 0 or -ENOMEM.
 */
int config_export(const struct model *model, bool state, char **ret_text);
