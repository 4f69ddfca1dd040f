/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <jansson.h>

#include "call.h"

/* A whole file, of any size up to that of the largest configuration and one byte more; - is standard input.
 * The text ends with a 0 that is not counted. The caller frees *ret_text. Complains itself. */
enum exit_status file_read(const char *file, char **ret_text, size_t *ret_length);
/* The same, parsed as a configuration. New reference. */
enum exit_status file_read_configuration(const char *file, json_t **ret);
