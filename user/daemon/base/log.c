/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool journal;
static const char *name = "default";

void log_open(const char *instance)
{
	journal = getenv("JOURNAL_STREAM") != NULL;
	name = instance;
}

void log_line(enum log_level level, const char *format, ...)
{
	char line[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (journal)
		fprintf(stderr, "<%d>%s: %s\n", level, name, line);
	else
		fprintf(stderr, "holdfastd %s: %s\n", name, line);
}

void log_refusal(enum log_level level, const char *doing, const struct refusal *refusal)
{
	char text[REFUSAL_TEXT];

	log_line(level, "%s%s%s", doing, doing[0] ? ": " : "", refusal_text(refusal, text));
}
