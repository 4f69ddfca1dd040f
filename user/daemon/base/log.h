/* SPDX-License-Identifier: Apache-2.0 */
/* The log: one line an event on standard error; systemd's journal adds the time. */
#pragma once

#include "core/value/refusal.h"

/* Levels as journald reads them at the beginning of a line (sd-daemon(3)); shown only where a journal reads.
 */
enum log_level { LOG_LEVEL_ERROR = 3, LOG_LEVEL_WARNING = 4, LOG_LEVEL_NOTICE = 5 };

void log_open(const char *instance);
__attribute__((format(printf, 2, 3))) void log_line(enum log_level level, const char *format, ...);
/* A refusal as one line: "WHAT: where; what would be right". */
void log_refusal(enum log_level level, const char *doing, const struct refusal *refusal);
