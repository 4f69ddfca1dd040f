// SPDX-License-Identifier: Apache-2.0
#include "tally.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 1 << 17 };

const char *const flow_kind_names[FLOW_KINDS] = {
	[FLOW_TCP] = "tcp", [FLOW_IDLE] = "idle", [FLOW_UDP] = "udp"};

static const char *const mishap_words[MISHAP_COUNT] = {
#define X(name, word) [MISHAP_##name] = word,
	MISHAPS(X)
#undef X
};

void tally_init(struct tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	tally->server_count = 1;
}

void tally_free(struct tally *tally)
{
	free(tally->events);
}

uint16_t tally_server(struct tally *tally, const char *name)
{
	for (size_t i = 1; i < tally->server_count; i++)
		if (!strcmp(tally->servers[i].name, name))
			return i;
	if (tally->server_count == MAX_SERVERS)
		return 0;
	snprintf(tally->servers[tally->server_count].name, SERVER_NAME_SIZE, "%s", name);
	return tally->server_count++;
}

void tally_note(struct tally *tally, const struct mishap_event *event)
{
	tally->servers[event->server].mishaps[event->kind][event->mishap]++;
	if (tally->event_count == tally->event_room) {
		size_t room = tally->event_room ? tally->event_room * 2 : 64;
		struct mishap_event *events =
			room <= MAX_EVENTS ? realloc(tally->events, room * sizeof(*events)) : NULL;

		if (!events) {
			tally->events_forgotten++;
			return;
		}
		tally->events = events;
		tally->event_room = room;
	}
	tally->events[tally->event_count++] = *event;
}

static uint64_t live_sum(const struct tally *tally, enum flow_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < tally->server_count; i++)
		sum += tally->servers[i].live[kind];
	return sum;
}

static void print_server(const struct server_tally *server, enum flow_kind kind, FILE *out)
{
	fprintf(out, "\"%s\": {\"live\": %lu", server->name, server->live[kind]);
	for (int i = 0; i < MISHAP_COUNT; i++)
		fprintf(out, ", \"%s\": %lu", mishap_words[i], server->mishaps[kind][i]);
	fputc('}', out);
}

void tally_print_kinds(const struct tally *tally, const uint64_t opening[FLOW_KINDS],
		       const uint64_t stalled[FLOW_KINDS], FILE *out)
{
	for (int kind = 0; kind < FLOW_KINDS; kind++) {
		fprintf(out,
			"%s\"%s\": {\"live\": %lu, \"opening\": %lu, \"stalled\": %lu, \"opened\": %lu, "
			"\"closed\": %lu, \"answers\": %lu, \"lost\": %lu, \"longest\": %.3f, \"servers\": {",
			kind ? ", " : "", flow_kind_names[kind], live_sum(tally, kind), opening[kind],
			stalled[kind], tally->opened[kind], tally->closed[kind], tally->answers[kind],
			tally->lost[kind], tally->longest_ms[kind] / 1e3);
		for (size_t i = 0; i < tally->server_count; i++) {
			fputs(i ? ", " : "", out);
			print_server(&tally->servers[i], kind, out);
		}
		fputs("}}", out);
	}
}

static void print_event(const struct tally *tally, const struct mishap_event *event,
			const struct endpoint *sources, const struct endpoint *targets, FILE *out)
{
	const struct endpoint *target = &targets[event->target];
	char from[ENDPOINT_TEXT_SIZE], to[ENDPOINT_TEXT_SIZE];

	endpoint_write(&sources[event->source], event->source_port, from);
	endpoint_write(target, endpoint_port(target), to);
	fprintf(out,
		"{\"when\": %.3f, \"kind\": \"%s\", \"what\": \"%s\", \"server\": \"%s\", \"other\": \"%s\", "
		"\"from\": \"%s\", \"to\": \"%s\", \"number\": %u}",
		event->when, flow_kind_names[event->kind], mishap_words[event->mishap],
		tally->servers[event->server].name, tally->servers[event->other].name, from, to,
		event->number);
}

void tally_print_events(struct tally *tally, const struct endpoint *sources, const struct endpoint *targets,
			FILE *out)
{
	fprintf(out, "\"forgotten\": %lu, \"events\": [", tally->events_forgotten);
	for (size_t i = 0; i < tally->event_count; i++) {
		fputs(i ? ", " : "", out);
		print_event(tally, &tally->events[i], sources, targets, out);
	}
	fputc(']', out);
	tally->event_count = 0;
	tally->events_forgotten = 0;
	memset(tally->longest_ms, 0, sizeof(tally->longest_ms));
}
