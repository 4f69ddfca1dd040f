/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client's flows: each asks numbered messages of one server, and breaks when the connection is reset,
 * ends, answers something else, or stays silent beyond the limit although the kernel keeps sending again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "endpoint.h"
#include "tally.h"

enum { MAX_ADDRESSES = 32 };

enum flow_state { FLOW_FREE, FLOW_OPENING, FLOW_LIVE };

struct flow {
	int fd;
	uint8_t kind;  /* enum flow_kind */
	uint8_t state; /* enum flow_state */
	uint8_t source, target;
	uint16_t source_port;
	uint16_t server; /* who answers: a number of the tally */
	uint32_t number; /* of the last message */
	uint32_t held;   /* bytes of an answer that has not ended yet */
	uint64_t asked;  /* ms when the oldest unanswered message was sent, or the opening began; 0: none */
	uint64_t due;    /* ms when the next message is to be sent */
	char line[LINE_SIZE];
};

struct flow_set {
	struct flow *flows;
	uint32_t room, top; /* flows beyond top have never been in use */
	uint32_t free_at;   /* where to look for a free one */
	uint32_t choice;    /* where the next to be closed is looked for */
	int epoll;
	struct endpoint sources[MAX_ADDRESSES], targets[MAX_ADDRESSES];
	uint32_t source_count, target_count;
	uint64_t interval_ms, stall_ms, limit_ms;
	uint64_t turn; /* flows begun: sources and targets take turns */
	unsigned int dice;
	struct tally tally;
};

/* Begins a flow. -ENOSPC: there is no room for it; other errors are the socket's. */
int flow_open(struct flow_set *set, enum flow_kind kind, uint64_t now);
/* Ends a flow that is well. */
void flow_close(struct flow_set *set, struct flow *flow);
/* Does what epoll's events ask for. */
void flow_dispatch(struct flow_set *set, struct flow *flow, uint32_t events, uint64_t now);
/* Sends what is due, and gives up what has been silent for too long. */
void flow_tick(struct flow_set *set, struct flow *flow, uint64_t now);
/* Has been silent for longer than an answer should take. */
bool flow_stalled(const struct flow_set *set, const struct flow *flow, uint64_t now);
/* Another live flow of the kind, and of the server unless that is 0; NULL: there is none. */
struct flow *flow_choose(struct flow_set *set, enum flow_kind kind, uint16_t server);
