/* SPDX-License-Identifier: Apache-2.0 */
#include "event_log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

enum { NOTED_MAX = 1000, CAUSES = 64, NAMED = 3, TEXT = 256 };

/* Kept until they are written ---------------------------------------------------- */

static json_t *noted, *noted_of; /* [event], {kind: how many of them} */
static size_t lost;

/* Each kind has its own places, so that a chatty one takes none from changes and drains. */
static bool has_place(const char *kind)
{
	json_int_t count;

	if (!noted)
		noted = json_array();
	if (!noted_of)
		noted_of = json_object();
	count = json_integer_value(json_object_get(noted_of, kind));
	return count < NOTED_MAX && !json_object_set_new(noted_of, kind, json_integer(count + 1));
}

static void keep_event(const char *kind, const char *subject, const char *text)
{
	if (!has_place(kind) ||
	    json_array_append_new(noted, json_pack("{s:I, s:s, s:s, s:s}", "time", (json_int_t)clock_unix(),
						   "kind", kind, "subject", subject, "text", text)))
		lost++;
}

static void event_write(enum log_level level, const char *kind, const char *subject, const char *text)
{
	log_line(level, "%s%s%s", subject, subject[0] ? ": " : "", text);
	keep_event(kind, subject, text);
}

/* Many backends, one cause, one event ---------------------------------------------- */

struct cause {
	enum log_level level;
	char kind[16], subject[TEXT], one[TEXT], cause[TEXT], many[TEXT];
	char named[NAMED][TEXT / 2];
	size_t count;
};

static struct cause causes[CAUSES];
static size_t cause_count;

static void cause_write(const struct cause *cause)
{
	char text[3 * TEXT];
	size_t named = cause->count < NAMED ? cause->count : NAMED;
	int length;

	if (cause->count == 1) {
		event_write(cause->level, cause->kind, cause->subject, cause->one);
		return;
	}
	length = snprintf(text, sizeof text, "%zu backends %s", cause->count, cause->many);
	for (size_t i = 0; i < named; i++)
		length += snprintf(text + length, sizeof text - length, "%s%s", i ? ", " : ": ",
				   cause->named[i]);
	if (cause->count > named)
		snprintf(text + length, sizeof text - length, " and %zu more", cause->count - named);
	event_write(cause->level, cause->kind, cause->cause, text);
}

static void causes_write(void)
{
	for (size_t i = 0; i < cause_count; i++)
		cause_write(&causes[i]);
	cause_count = 0;
}

static bool cause_is_of(const struct cause *cause, const struct common_event *event)
{
	return cause->level == event->level && !strcmp(cause->kind, event->kind) &&
	       !strcmp(cause->cause, event->cause) && !strcmp(cause->many, event->many);
}

/* Where all places are taken, the causes in them are written first. */
static struct cause *cause_of(const struct common_event *event)
{
	struct cause *cause;

	for (size_t i = 0; i < cause_count; i++)
		if (cause_is_of(&causes[i], event))
			return &causes[i];
	if (cause_count == CAUSES)
		causes_write();
	cause = &causes[cause_count++];
	*cause = (struct cause){.level = event->level};
	snprintf(cause->kind, sizeof cause->kind, "%s", event->kind);
	snprintf(cause->subject, sizeof cause->subject, "%s", event->subject);
	snprintf(cause->one, sizeof cause->one, "%s", event->one);
	snprintf(cause->cause, sizeof cause->cause, "%s", event->cause);
	snprintf(cause->many, sizeof cause->many, "%s", event->many);
	return cause;
}

void event_gather(const struct common_event *event, const char *backend)
{
	struct cause *cause = cause_of(event);

	if (cause->count < NAMED)
		snprintf(cause->named[cause->count], sizeof *cause->named, "%s", backend);
	cause->count++;
}

/* Noting and writing ----------------------------------------------------------------- */

void event_note(enum log_level level, const char *kind, const char *subject, const char *format, ...)
{
	char text[1024]; /* a whole refusal */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	causes_write();
	event_write(level, kind, subject, text);
}

/* What cannot be written is kept for the next time. */
void events_flush(struct store *store)
{
	static bool told;
	int error;

	causes_write();
	if (!json_array_size(noted))
		return;
	error = store_append_events(store, noted);
	if (error) {
		if (!told && error != -ENOLCK)
			log_line(LOG_LEVEL_WARNING,
				 "events cannot be written: they stay in memory until they can");
		told |= error != -ENOLCK;
		return;
	}
	told = false;
	if (lost)
		log_line(LOG_LEVEL_WARNING, "too many events at once: %zu are in the log alone", lost);
	lost = 0;
	json_array_clear(noted);
	json_object_clear(noted_of);
}
