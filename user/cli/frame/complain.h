/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where an error becomes a sentence on standard error: where, what, what would be right. */
#pragma once

#include "core/value/refusal.h"
#include "verb.h"

/* Prints "holdfast: WHERE: WHAT: RIGHT" and returns status. A refusal without a what says what error means.
 */
enum exit_status complain(enum exit_status status, const struct refusal *refusal, int error);
/* The same of memory that is short. */
enum exit_status complain_memory(void);
void warn_about(const struct refusal *warning);
