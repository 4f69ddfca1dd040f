/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "clock.h"

enum { NOTED_MAX = 10000 };

static json_t *noted;
static size_t lost;

static void keep(const char *kind, const char *subject, const char *text)
{
	if (!noted)
		noted = json_array();
	if (json_array_size(noted) >= NOTED_MAX ||
	    json_array_append_new(noted, json_pack("{s:I, s:s, s:s, s:s}", "time", (json_int_t)clock_unix(),
						   "kind", kind, "subject", subject, "text", text)))
		lost++;
}

void event_note(enum log_level level, const char *kind, const char *subject, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	log_line(level, "%s%s%s", subject, subject[0] ? ": " : "", text);
	keep(kind, subject, text);
}

/* What cannot be written is kept for the next time. */
void events_flush(struct store *store)
{
	static bool told;

	if (!json_array_size(noted))
		return;
	if (store_append_events(store, noted)) {
		if (!told)
			log_line(LOG_LEVEL_WARNING,
				 "events cannot be written: they stay in memory until they can");
		told = true;
		return;
	}
	told = false;
	if (lost)
		log_line(LOG_LEVEL_WARNING, "too many events at once: %zu are in the log alone", lost);
	lost = 0;
	json_array_clear(noted);
}
