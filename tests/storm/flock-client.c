// SPDX-License-Identifier: Apache-2.0
/*
 * flock-client --to ENDPOINT... [--from ADDRESS...] [options]: many flows, each of which asks the numbered
 * messages of endpoint.h and notices when its server stops to answer, or another one begins to.
 *
 * Reads commands from its standard input, a line each, and answers each with one line of JSON:
 *
 *   open KIND N             begins N flows (tcp, idle or udp), as fast as --rate allows
 *   close KIND N [SERVER]   ends N of them, of that server alone
 *   churn N                 from now on begins and ends N TCP connections a second
 *   check                   has every idle flow speak once
 *   report                  counts, and what went wrong since the last report (tally.h)
 *   quit
 *
 * It ends with its standard input, by `quit`, by a signal, or after --seconds.
 */
#include "flow.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
	MAX_EVENTS = 512,
	TICK_MS = 20,
	COMMAND_SIZE = 256,
	COMMAND_WORDS = 4,
	DEFAULT_ROOM = 65536,
	DEFAULT_RATE = 1000,
	DEFAULT_SECONDS = 3600,
};
static const uint64_t CONTROL = UINT64_MAX; /* what epoll says of the standard input */

static struct client {
	struct flow_set set;
	uint64_t to_open[FLOW_KINDS], to_close[FLOW_KINDS];
	uint16_t close_of[FLOW_KINDS]; /* server, 0: any */
	double rate, churn;            /* a second */
	double may_open, churned;      /* fractions that have come together */
	uint64_t ends;
	char command[COMMAND_SIZE];
	size_t held;
	bool over;
} client;

static void answer(const char *error)
{
	if (error)
		printf("{\"error\": \"%s\"}\n", error);
	else
		printf("{}\n");
}

static void report(uint64_t now)
{
	uint64_t opening[FLOW_KINDS], stalled[FLOW_KINDS] = {0};
	struct flow_set *set = &client.set;

	memcpy(opening, client.to_open, sizeof(opening));
	for (struct flow *flow = set->flows; flow < set->flows + set->top; flow++) {
		opening[flow->kind] += flow->state == FLOW_OPENING;
		stalled[flow->kind] += flow_stalled(set, flow, now);
	}
	printf("{\"now\": %.3f, ", now / 1e3);
	tally_print_kinds(&set->tally, opening, stalled, stdout);
	printf(", ");
	tally_print_events(&set->tally, set->sources, set->targets, stdout);
	printf("}\n");
}

static void check(uint64_t now)
{
	for (uint32_t i = 0; i < client.set.top; i++)
		if (client.set.flows[i].kind == FLOW_IDLE && client.set.flows[i].state == FLOW_LIVE)
			client.set.flows[i].due = now;
}

static const char *plan_change(char **word, int words)
{
	int kind = 0;

	while (kind < FLOW_KINDS && (words < 3 || strcmp(word[1], flow_kind_names[kind])))
		kind++;
	if (kind == FLOW_KINDS)
		return "open|close KIND N: KIND is tcp, idle or udp";
	if (word[0][0] == 'o') {
		client.to_open[kind] += strtoul(word[2], NULL, 10);
		return NULL;
	}
	if (words > 3 && !server_name_valid(word[3]))
		return "close KIND N SERVER: that is no server's name";
	client.to_close[kind] += strtoul(word[2], NULL, 10);
	client.close_of[kind] = words > 3 ? tally_server(&client.set.tally, word[3]) : 0;
	return NULL;
}

static void obey(char *line, uint64_t now)
{
	char *word[COMMAND_WORDS], *rest = NULL;
	int words = 0;

	for (char *next = strtok_r(line, " ", &rest); next && words < COMMAND_WORDS;
	     next = strtok_r(NULL, " ", &rest))
		word[words++] = next;
	if (!words)
		return;
	if (!strcmp(word[0], "report")) {
		report(now);
	} else if (!strcmp(word[0], "open") || !strcmp(word[0], "close")) {
		answer(plan_change(word, words));
	} else if (!strcmp(word[0], "churn") && words == 2) {
		client.churn = strtod(word[1], NULL);
		answer(NULL);
	} else if (!strcmp(word[0], "check")) {
		check(now);
		answer(NULL);
	} else if (!strcmp(word[0], "quit")) {
		client.over = true;
		answer(NULL);
	} else {
		answer("open, close, churn, check, report, quit");
	}
	fflush(stdout);
}

static void control_read(uint64_t now)
{
	ssize_t length = read(STDIN_FILENO, client.command + client.held, COMMAND_SIZE - 1 - client.held);
	char *end;

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length <= 0) {
		client.over = true;
		return;
	}
	client.held += length;
	client.command[client.held] = 0;
	while ((end = strchr(client.command, '\n'))) {
		*end++ = 0;
		obey(client.command, now);
		client.held -= end - client.command;
		memmove(client.command, end, client.held + 1);
	}
	if (client.held == COMMAND_SIZE - 1)
		client.held = 0;
}

/* Begins and ends what has been asked for, as far as this tick's share of the rate goes. */
static void change_flows(uint64_t passed_ms, uint64_t now)
{
	client.churned += client.churn * passed_ms / 1e3;
	client.to_open[FLOW_TCP] += (uint64_t)client.churned;
	client.to_close[FLOW_TCP] += (uint64_t)client.churned;
	client.churned -= (uint64_t)client.churned;
	client.may_open += client.rate * passed_ms / 1e3;
	if (client.may_open > client.rate)
		client.may_open = client.rate;
	for (int kind = 0; kind < FLOW_KINDS; kind++) {
		uint64_t may_close = client.rate * passed_ms / 1e3 + 1;
		struct flow *flow;

		for (; client.to_open[kind] && client.may_open >= 1;
		     client.to_open[kind]--, client.may_open--)
			flow_open(&client.set, kind, now);
		for (; client.to_close[kind] && may_close; client.to_close[kind]--, may_close--) {
			flow = flow_choose(&client.set, kind, client.close_of[kind]);
			if (!flow) {
				client.to_close[kind] = 0;
				break;
			}
			flow_close(&client.set, flow);
		}
	}
}

static void tick(uint64_t passed_ms, uint64_t now)
{
	change_flows(passed_ms, now);
	for (uint32_t i = 0; i < client.set.top; i++)
		if (client.set.flows[i].state != FLOW_FREE)
			flow_tick(&client.set, &client.set.flows[i], now);
}

static void run(void)
{
	struct epoll_event events[MAX_EVENTS];
	uint64_t last = monotonic_ms();

	while (!client.over && last < client.ends) {
		int count = epoll_wait(client.set.epoll, events, MAX_EVENTS, TICK_MS);
		uint64_t now = monotonic_ms();

		for (int i = 0; i < count; i++) {
			if (events[i].data.u64 == CONTROL)
				control_read(now);
			else
				flow_dispatch(&client.set, &client.set.flows[events[i].data.u64],
					      events[i].events, now);
		}
		if (now - last >= TICK_MS) {
			tick(now - last, now);
			last = now;
		}
	}
}

static int endpoint_add(struct endpoint *list, uint32_t *count, const char *text, bool port)
{
	return *count == MAX_ADDRESSES ? -E2BIG : endpoint_read(text, port, &list[(*count)++]);
}

static int options_read(int argc, char **argv)
{
	static const struct option options[] = {{"to", required_argument, NULL, 't'},
						{"from", required_argument, NULL, 'f'},
						{"rate", required_argument, NULL, 'r'},
						{"interval", required_argument, NULL, 'i'},
						{"stall", required_argument, NULL, 's'},
						{"limit", required_argument, NULL, 'l'},
						{"room", required_argument, NULL, 'm'},
						{"seconds", required_argument, NULL, 'e'},
						{0}};
	struct flow_set *set = &client.set;
	int option, err = 0;

	while (!err && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		double number = optarg ? strtod(optarg, NULL) : 0;

		switch (option) {
		case 't':
			err = endpoint_add(set->targets, &set->target_count, optarg, true);
			break;
		case 'f':
			err = endpoint_add(set->sources, &set->source_count, optarg, false);
			break;
		case 'r':
			client.rate = number;
			break;
		case 'i':
			set->interval_ms = number * 1e3;
			break;
		case 's':
			set->stall_ms = number * 1e3;
			break;
		case 'l':
			set->limit_ms = number * 1e3;
			break;
		case 'm':
			set->room = number;
			break;
		case 'e':
			client.ends = monotonic_ms() + number * 1e3;
			break;
		default:
			err = -EINVAL;
		}
	}
	return err || optind < argc || !set->target_count || !set->room ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	struct epoll_event control = {.events = EPOLLIN, .data.u64 = CONTROL};
	struct flow_set *set = &client.set;

	client.rate = DEFAULT_RATE;
	client.ends = monotonic_ms() + DEFAULT_SECONDS * 1000ULL;
	*set = (struct flow_set){
		.room = DEFAULT_ROOM, .interval_ms = 1000, .stall_ms = 3000, .limit_ms = 30000};
	if (options_read(argc, argv)) {
		fprintf(stderr, "usage: flock-client --to ADDRESS:PORT... [--from ADDRESS...] [--rate N] "
				"[--interval S] [--stall S] [--limit S] [--room N] [--seconds S]\n");
		return 2;
	}
	files_raise(set->room + 64);
	tally_init(&set->tally);
	set->dice = getpid();
	set->flows = calloc(set->room, sizeof(*set->flows));
	set->epoll = epoll_create1(EPOLL_CLOEXEC);
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	if (!set->flows || set->epoll < 0 || epoll_ctl(set->epoll, EPOLL_CTL_ADD, STDIN_FILENO, &control)) {
		perror("flock-client");
		return 1;
	}
	run();
	report(monotonic_ms());
	tally_free(&set->tally);
	free(set->flows);
	return 0;
}
