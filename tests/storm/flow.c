// SPDX-License-Identifier: Apache-2.0
#include "flow.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Linux's <netinet/in.h> has it, older ones not: the port is chosen at connect(), for the whole tuple. */
#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

static const uint64_t NEVER = UINT64_MAX;

static void flow_release(struct flow_set *set, struct flow *flow)
{
	if (flow->state == FLOW_LIVE)
		set->tally.servers[flow->server].live[flow->kind]--;
	close(flow->fd);
	flow->state = FLOW_FREE;
	set->free_at = flow - set->flows;
}

static void flow_note(struct flow_set *set, const struct flow *flow, enum mishap mishap, uint16_t other,
		      uint64_t now)
{
	const struct mishap_event event = {
		.when = now / 1e3,
		.kind = flow->kind,
		.mishap = mishap,
		.server = flow->server,
		.other = other,
		.source_port = flow->source_port,
		.source = flow->source,
		.target = flow->target,
		.number = flow->number,
	};

	tally_note(&set->tally, &event);
}

static void flow_break(struct flow_set *set, struct flow *flow, enum mishap mishap, uint16_t other,
		       uint64_t now)
{
	const struct linger abort = {.l_onoff = 1};

	flow_note(set, flow, mishap, other, now);
	/* No socket stays behind that goes on sending for a flow that has been given up. */
	setsockopt(flow->fd, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
	flow_release(set, flow);
}

static struct flow *flow_allocate(struct flow_set *set)
{
	for (uint32_t i = 0; i < set->room; i++) {
		struct flow *flow = &set->flows[(set->free_at + i) % set->room];

		if (flow->state != FLOW_FREE)
			continue;
		set->free_at = flow - set->flows;
		if (set->free_at >= set->top)
			set->top = set->free_at + 1;
		memset(flow, 0, sizeof(*flow));
		return flow;
	}
	return NULL;
}

static int flow_connect(struct flow_set *set, struct flow *flow)
{
	const struct endpoint *source = &set->sources[flow->source], *target = &set->targets[flow->target];
	struct endpoint own = {.length = sizeof(own.address)};
	const int on = 1;

	if (set->source_count) {
		setsockopt(flow->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
		if (bind(flow->fd, (const struct sockaddr *)&source->address, source->length))
			return -errno;
	}
	if (flow->kind != FLOW_UDP)
		setsockopt(flow->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(flow->fd, (const struct sockaddr *)&target->address, target->length) &&
	    errno != EINPROGRESS)
		return -errno;
	/* It is asked for now, for a reset socket has none any more. */
	if (getsockname(flow->fd, (struct sockaddr *)&own.address, &own.length))
		return -errno;
	flow->source_port = endpoint_port(&own);
	if (!set->source_count)
		set->sources[0] = own;
	return 0;
}

static int flow_watch(struct flow_set *set, struct flow *flow, int operation, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.u64 = flow - set->flows};

	return epoll_ctl(set->epoll, operation, flow->fd, &event) ? -errno : 0;
}

/* A new flow speaks at once, so that it is soon known who answers it. */
static void flow_begin(struct flow_set *set, struct flow *flow, uint64_t now)
{
	flow->state = FLOW_LIVE;
	flow->asked = 0;
	flow->due = now;
	set->tally.opened[flow->kind]++;
	set->tally.servers[flow->server].live[flow->kind]++;
}

int flow_open(struct flow_set *set, enum flow_kind kind, uint64_t now)
{
	struct flow *flow = flow_allocate(set);
	int type = (kind == FLOW_UDP ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;
	int err;

	if (!flow)
		return -ENOSPC;
	flow->kind = kind;
	flow->target = set->turn % set->target_count;
	flow->source = set->source_count ? set->turn / set->target_count % set->source_count : 0;
	flow->asked = now;
	flow->due = NEVER;
	flow->fd = socket(set->targets[flow->target].address.ss_family, type, 0);
	if (flow->fd < 0)
		return -errno;
	set->turn++;
	flow->state = FLOW_OPENING;
	err = flow_connect(set, flow);
	if (!err)
		err = flow_watch(set, flow, EPOLL_CTL_ADD, kind == FLOW_UDP ? EPOLLIN : EPOLLOUT);
	if (err)
		flow_break(set, flow, MISHAP_UNOPENED, 0, now);
	else if (kind == FLOW_UDP)
		flow_begin(set, flow, now);
	return err;
}

void flow_close(struct flow_set *set, struct flow *flow)
{
	set->tally.closed[flow->kind]++;
	flow_release(set, flow);
}

static void flow_finish_opening(struct flow_set *set, struct flow *flow, uint64_t now)
{
	int err = 0;
	socklen_t length = sizeof(err);

	getsockopt(flow->fd, SOL_SOCKET, SO_ERROR, &err, &length);
	if (err || flow_watch(set, flow, EPOLL_CTL_MOD, EPOLLIN)) {
		flow_break(set, flow, MISHAP_UNOPENED, 0, now);
		return;
	}
	flow_begin(set, flow, now);
	flow_tick(set, flow, now);
}

static uint64_t flow_next_due(struct flow_set *set, const struct flow *flow, uint64_t now)
{
	uint64_t jitter = set->interval_ms / 2;

	if (flow->kind == FLOW_IDLE)
		return NEVER;
	return now + set->interval_ms - jitter / 2 + (jitter ? rand_r(&set->dice) % jitter : 0);
}

static void flow_ask(struct flow_set *set, struct flow *flow, uint64_t now)
{
	char text[LINE_SIZE];
	int length = snprintf(text, sizeof(text), "%u\n", flow->number + 1);
	ssize_t sent = send(flow->fd, text, length, MSG_NOSIGNAL);

	/* A UDP socket hands over the ICMP error of an earlier datagram in the next call, which then sends
	 * none. */
	if (sent != length && flow->kind == FLOW_UDP)
		sent = send(flow->fd, text, length, MSG_NOSIGNAL);
	if (sent != length && flow->kind != FLOW_UDP) {
		flow_break(set, flow, errno == EAGAIN ? MISHAP_TIMEOUT : MISHAP_RESET, 0, now);
		return;
	}
	flow->number++;
	if (!flow->asked)
		flow->asked = now;
	flow->due = flow_next_due(set, flow, now);
}

/* Whose line is it? false: it is no answer to the message that is open. */
static bool answer_read(const char *line, uint32_t *ret_number, char ret_name[SERVER_NAME_SIZE])
{
	char *end;
	unsigned long number = strtoul(line, &end, 10);
	size_t length;

	if (end == line || *end++ != ' ' || number > UINT32_MAX)
		return false;
	length = strcspn(end, "\n");
	if (!end[length] || length >= SERVER_NAME_SIZE)
		return false;
	memcpy(ret_name, end, length);
	ret_name[length] = 0;
	*ret_number = number;
	return server_name_valid(ret_name);
}

static void flow_meet_server(struct flow_set *set, struct flow *flow, uint16_t server, uint64_t now)
{
	if (flow->server == server)
		return;
	if (flow->server)
		flow_note(set, flow, MISHAP_MOVED, server, now);
	set->tally.servers[flow->server].live[flow->kind]--;
	set->tally.servers[server].live[flow->kind]++;
	flow->server = server;
}

/* false: the flow is broken and gone. */
static bool flow_answered(struct flow_set *set, struct flow *flow, const char *line, uint64_t now)
{
	char name[SERVER_NAME_SIZE];
	uint32_t number = 0;
	uint16_t server = 0;
	uint64_t took = flow->asked ? now - flow->asked : 0;

	if (answer_read(line, &number, name))
		server = tally_server(&set->tally, name);
	/* A datagram may be late; a connection has one message open, and one server. */
	if (!server || number > flow->number ||
	    (flow->kind != FLOW_UDP &&
	     (number != flow->number || !flow->asked || (flow->server && flow->server != server)))) {
		flow_break(set, flow, MISHAP_WRONG_ANSWER, server, now);
		return false;
	}
	flow_meet_server(set, flow, server, now);
	set->tally.answers[flow->kind]++;
	if (took > set->tally.longest_ms[flow->kind])
		set->tally.longest_ms[flow->kind] = took;
	flow->asked = 0;
	return true;
}

static void flow_read(struct flow_set *set, struct flow *flow, uint64_t now)
{
	ssize_t length = recv(flow->fd, flow->line + flow->held, LINE_SIZE - 1 - flow->held, 0);
	char *end;

	if (length < 0 && (errno == EAGAIN || errno == EINTR || flow->kind == FLOW_UDP))
		return; /* a UDP flow outlives an ICMP error */
	if (length <= 0) {
		flow_break(set, flow,
			   length ? (errno == ETIMEDOUT ? MISHAP_TIMEOUT : MISHAP_RESET) : MISHAP_EOF, 0,
			   now);
		return;
	}
	flow->held += length;
	flow->line[flow->held] = 0;
	end = strchr(flow->line, '\n');
	if (!end && flow->held < LINE_SIZE - 1 && flow->kind != FLOW_UDP)
		return;
	/* One message is open at a time, so that nothing follows its answer. */
	if (!flow_answered(set, flow, flow->line, now))
		return;
	flow->held = 0;
}

void flow_dispatch(struct flow_set *set, struct flow *flow, uint32_t events, uint64_t now)
{
	if (flow->state == FLOW_OPENING)
		flow_finish_opening(set, flow, now);
	else if (flow->state == FLOW_LIVE && events)
		flow_read(set, flow, now);
}

void flow_tick(struct flow_set *set, struct flow *flow, uint64_t now)
{
	if (flow->asked && now - flow->asked > set->limit_ms) {
		flow_break(set, flow, flow->state == FLOW_OPENING ? MISHAP_UNOPENED : MISHAP_TIMEOUT, 0, now);
		return;
	}
	if (flow->state != FLOW_LIVE || now < flow->due)
		return;
	if (flow->asked && flow->kind != FLOW_UDP)
		return;
	if (flow->asked)
		set->tally.lost[flow->kind]++;
	flow_ask(set, flow, now);
}

bool flow_stalled(const struct flow_set *set, const struct flow *flow, uint64_t now)
{
	return flow->state == FLOW_LIVE && flow->asked && now - flow->asked > set->stall_ms;
}

struct flow *flow_choose(struct flow_set *set, enum flow_kind kind, uint16_t server)
{
	for (uint32_t i = 0; i < set->top; i++) {
		struct flow *flow = &set->flows[set->choice++ % set->top];

		if (flow->state == FLOW_LIVE && flow->kind == kind && (!server || flow->server == server))
			return flow;
	}
	return NULL;
}
