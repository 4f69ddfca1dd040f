// SPDX-License-Identifier: Apache-2.0
/* events: what happened, from the daemon's store. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "nouns.h"

enum { LIMIT_DEFAULT = 100, FOLLOW_LIMIT = 10000 };

static const char *subject_cell(const json_t *event, const char *key, char text[CELL_TEXT])
{
	const char *subject = field_text(event, key);

	(void)text;
	return *subject ? subject : "-";
}

static void events_print(const json_t *events)
{
	static const struct column columns[] = {
		{"TIME", "time", field_moment},
		{"KIND", "kind", text_cell},
		{"SUBJECT", "subject", subject_cell},
		{"EVENT", "text", text_cell},
		{.header = NULL},
	};

	show_table(events, columns);
}

/* One line an event, which needs no width that is not known yet. */
static void events_print_lines(const struct call *call, const json_t *events)
{
	char when[MOMENT_TEXT];
	json_t *event;
	size_t i;

	json_array_foreach (events, i, event) {
		if (call->json) {
			json_dumpf(event, stdout, JSON_COMPACT);
			putchar('\n');
		} else {
			printf("%s  %s  %s  %s\n", field_moment(event, "time", when),
			       field_text(event, "kind"), subject_cell(event, "subject", NULL),
			       field_text(event, "text"));
		}
	}
	fflush(stdout);
}

static json_int_t last_id(const json_t *events, json_int_t before)
{
	size_t count = json_array_size(events);

	return count ? json_integer_value(json_object_get(json_array_get(events, count - 1), "id")) : before;
}

static enum exit_status events_get(const struct call *call, json_int_t after, long limit, struct answer *ret)
{
	char path[96];

	snprintf(path, sizeof path, "/v1/events?after=%" JSON_INTEGER_FORMAT "&limit=%ld", after, limit);
	return request_get(call, path, NULL, ret);
}

/* Goes on until the daemon is gone, or the reader. */
static enum exit_status events_follow(const struct call *call, json_int_t after)
{
	const struct timespec pause = {.tv_sec = 1};

	for (;;) {
		struct answer answer = {NULL, NULL};
		enum exit_status status;

		nanosleep(&pause, NULL);
		status = events_get(call, after, FOLLOW_LIMIT, &answer);
		if (!status) {
			events_print_lines(call, json_object_get(answer.json, "events"));
			after = last_id(json_object_get(answer.json, "events"), after);
		}
		answer_free(&answer);
		if (status || ferror(stdout))
			return status;
	}
}

static enum exit_status run_events(const struct call *call)
{
	const char *limit = call_option(call, "limit");
	bool follow = call_flag(call, "follow");
	struct answer answer = {NULL, NULL};
	json_int_t after = 0;
	enum exit_status status =
		events_get(call, 0, limit ? strtol(limit, NULL, 10) : LIMIT_DEFAULT, &answer);

	if (!status) {
		const json_t *events = json_object_get(answer.json, "events");

		if (follow)
			events_print_lines(call, events);
		else if (call->json)
			answer_print(&answer);
		else
			events_print(events);
		after = last_id(events, 0);
	}
	answer_free(&answer);
	return status || !follow ? status : events_follow(call, after);
}

/* clang-format off */
const struct noun events_noun = {"events", "what happened", .verbs = VERBS(
	{"",
	 .options = OPTIONS(OPTION("limit", VALUE_COUNT, "N", "the last so many; default 100"),
	                    FLAG("follow", "go on with what happens next")),
	 .help = "tell what happened, oldest first",
	 .example = "--follow",
	 .uses = "GET /v1/events",
	 .run = run_events})};
/* clang-format on */
