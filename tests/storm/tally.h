/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client's books: counts a kind of flow and a backend, and a list of what went wrong with which flow
 * since the last report.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "endpoint.h"

/* tcp speaks every second, idle is TCP that speaks when it is told to (`check`), udp speaks every second. */
enum flow_kind { FLOW_TCP, FLOW_IDLE, FLOW_UDP, FLOW_KINDS };
extern const char *const flow_kind_names[FLOW_KINDS];

/*
 * What may go wrong with a flow. RESET to WRONG_ANSWER end it; MOVED (another backend answers, with the right
 * number) goes on; UNOPENED never began.
 */
#define MISHAPS(X)                      \
	X(RESET, "reset")               \
	X(TIMEOUT, "timeout")           \
	X(EOF, "eof")                   \
	X(WRONG_ANSWER, "wrong-answer") \
	X(MOVED, "moved")               \
	X(UNOPENED, "unopened")

enum mishap {
#define X(name, word) MISHAP_##name,
	MISHAPS(X)
#undef X
		MISHAP_COUNT,
};

enum { MAX_SERVERS = 128 }; /* number 0: not known yet */

struct mishap_event {
	double when; /* seconds of CLOCK_MONOTONIC */
	enum flow_kind kind;
	enum mishap mishap;
	uint16_t server, other; /* whose flow it was, and who answered instead */
	uint16_t source_port;
	uint16_t source, target; /* of the client's endpoints */
	uint32_t number;         /* of the last message */
};

struct server_tally {
	char name[SERVER_NAME_SIZE];
	uint64_t live[FLOW_KINDS];
	uint64_t mishaps[FLOW_KINDS][MISHAP_COUNT];
};

struct tally {
	struct server_tally servers[MAX_SERVERS];
	size_t server_count;
	uint64_t opened[FLOW_KINDS], closed[FLOW_KINDS], answers[FLOW_KINDS], lost[FLOW_KINDS];
	uint64_t longest_ms[FLOW_KINDS]; /* an answer took, since the last report */
	struct mishap_event *events;
	size_t event_count, event_room;
	uint64_t events_forgotten; /* beyond what is kept */
};

void tally_init(struct tally *tally);
void tally_free(struct tally *tally);
/* The number of the server of that name, which is entered if it is new; 0: there are too many. */
uint16_t tally_server(struct tally *tally, const char *name);
void tally_note(struct tally *tally, const struct mishap_event *event);

/* Writes members `"tcp": {...}, "idle": {...}, "udp": {...}` of a report. opening and stalled: flows, by
 * kind. */
void tally_print_kinds(const struct tally *tally, const uint64_t opening[FLOW_KINDS],
		       const uint64_t stalled[FLOW_KINDS], FILE *out);
/* Writes the list of events, and begins a new one. */
void tally_print_events(struct tally *tally, const struct endpoint *sources, const struct endpoint *targets,
			FILE *out);
