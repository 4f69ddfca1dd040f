/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: the API's objects (docs/api.md), made of what is known of a thing. The daemon fills in what it knows
 * of its instance, `--offline` what it reads of pins and database. What a source does not know is absent, and
 * null in the view: a text is NULL, a number is -1.
 *
 * Functions return new references, and take over those that they are given.
 */
#pragma once

#include <holdfast/reasons.h>

#include "core/value/tally.h"
#include "number_name.h"

/* A value that may be absent. */
static inline json_t *known_integer(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static inline json_t *known_real(double value)
{
	return value < 0 ? json_null() : json_real(value);
}

/* Services ------------------------------------------------------------------- */

struct service_state {
	const struct service *service;
	size_t members; /* backends of its pool */
	size_t takers;  /* those that take new flows */
	size_t up;      /* ... and that packets reach */
	const struct tally *tally;
};
json_t *service_view(const struct service_state *state);
/* Appends a line to problems if nobody serves its new flows. */
void service_append_problem(const struct service_state *state, json_t *problems);

/* Backends ------------------------------------------------------------------- */

struct next_hop_state {
	const char *interface;
	const uint8_t *mac; /* six bytes */
	const struct address *gateway;
	int64_t mtu;
	bool resolved;
	const char *problem; /* why packets go nowhere; NULL: they go */
	int64_t held;        /* milliseconds since the kernel lost it; -1: it has not */
};
json_t *next_hop_view(const struct next_hop_state *hop); /* NULL: null */

struct backend_state {
	const char *pool, *name;
	struct address address;
	const struct backend *configured; /* NULL: its weight, zone and state are not known */
	bool drained;
	enum health_state health;
	const char *health_author; /* NULL: nothing is stated of its health */
	int64_t health_since;      /* Unix milliseconds; 0: not known */
	uint32_t slots;            /* that it owns */
	uint32_t pool_slots;
	const struct tally *tally;
	int64_t since, deadline; /* Unix milliseconds; 0: there is none, or it is not known */
	int64_t based;           /* moving slots whose unremembered old flows it has */
	int64_t remembered, closing;
	int64_t counted; /* milliseconds since its flows were counted as evidence */
	int64_t heard;   /* seconds since a flow that is not closing was heard */
	uint16_t number;
	json_t *next_hop;
	const char *note;
};
json_t *backend_view(const struct backend_state *backend);

/* Pools ---------------------------------------------------------------------- */

struct pool_state {
	const struct model *model;
	const struct pool *pool;        /* one of its pools */
	const struct pool_image *image; /* NULL: the data plane has none */
	size_t up;
	uint32_t remembered; /* flows */
	struct tally opened; /* new flows a second of its services */
	uint32_t now;        /* seconds of CLOCK_MONOTONIC */
};
json_t *pool_view(const struct pool_state *pool);

/* The line of a pool in the status. image NULL: the data plane has none. now: seconds of CLOCK_MONOTONIC. */
json_t *pool_line_view(const char *name, const char *scheme, uint32_t slots, const struct pool_image *image,
		       uint32_t now);

/* Interfaces ----------------------------------------------------------------- */

struct interface_state {
	const char *name, *mode, *state, *program;
	int64_t program_id, link_id;
	const char *problem;
};
json_t *interface_view(const struct interface_state *interface);
/* Appends an interface that packets only leave by, unless the list has it: no configuration names it, but
 * packets can be lost there. */
void interfaces_add_sender(json_t *interfaces, const char *name);

/* Counters ------------------------------------------------------------------- */

/* Adds what is counted of a service or backend, and how fast it grows. */
void tally_add(json_t *view, const struct tally *tally);
json_t *reasons_view(const struct tally reasons[HF_REASON_LIMIT]);
json_t *counters_view(json_t *reasons, json_t *services, json_t *backends, json_t *interfaces);

/* Status --------------------------------------------------------------------- */

/* time: Unix milliseconds. */
json_t *generation_view(uint32_t number, int64_t time, const char *author, const char *cause);

struct status_state {
	const char *instance, *version;
	const char *host;
	const char *state; /* NULL: "degraded" if there are problems, else "ready" */
	json_t *problems, *warnings;
	json_t *generation;
	const uint64_t *seed;
	int64_t flow_hash;
	int64_t clock;  /* milliseconds of the instance's clock */
	int64_t uptime; /* milliseconds */
	json_t *interfaces, *services, *pools;
	json_t *flows;
	int64_t slots_used, slots_limit;
};
json_t *status_view(const struct status_state *status);

/* Of the flow table. counts: HF_FLOW_EVENTS of them. */
json_t *flows_view(uint64_t remembered, uint64_t closing, uint64_t limit, const uint64_t *counts);

/* Slots ---------------------------------------------------------------------- */

/* A pool's slots as its words have them, neighbours that are alike as one range. placement NULL: without
 * preferences; else it has as many slots. */
json_t *slots_view(const struct names *names, const char *pool, const uint64_t *words, uint32_t slots,
		   struct placement *placement);

/* Why ------------------------------------------------------------------------ */

/* What the data plane answered (kern/program/observer.h). */
struct flow_answer {
	struct hf_observation seen;
	uint32_t verdict;        /* of XDP */
	struct hf_backend entry; /* of the backend that was chosen; all 0: none was */
	bool wrapped;            /* it is forwarded, with an outer header: */
	struct address source, destination;
};

/* The slot that the flow meets; NULL: it met none. */
const struct pool_image *answer_pool(const struct flow_answer *answer, const struct image *image);
/* Names of the backends that the slot prefers, best first. Empty where placement is NULL or has no such slot.
 */
json_t *preferences_view(const struct placement *placement, uint32_t slot);
/* A fact of a backend. time: Unix milliseconds. */
json_t *stated_view(const char *pool, const char *name, enum health_state state, const char *author,
		    int64_t time);

struct why_state {
	struct names names;
	const struct image *image;
	const struct flow_answer *answer;
	json_t *preferences; /* of the slot, stated_view() of those, and where the backend's packets go */
	json_t *stated;
	json_t *next_hop;
	const char *program; /* the tag */
};
json_t *why_view(const struct why_state *why);
