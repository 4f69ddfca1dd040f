/* SPDX-License-Identifier: Apache-2.0 */
/* Which arguments an operation takes, by name: those of its row, and the keys of the row's schema. */
#pragma once

#include "operation.h"

/* "name mode? share?": '?' marks those that may be left out. Returns text. */
enum { SIGNATURE_TEXT = 1024 };
const char *signature_text(const struct operation_type *type, char text[SIGNATURE_TEXT]);
/* Refuses what is no object, names that the operation does not know (naming near misses), and missing ones. 0
 * or -EINVAL. */
int signature_check(const struct operation_type *type, const json_t *arguments, struct refusal *refusal);
