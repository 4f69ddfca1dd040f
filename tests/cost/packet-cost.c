// SPDX-License-Identifier: Apache-2.0
/*
 * packet-cost: what one packet costs inside loaded XDP load balancers, beside what it cannot cost less than.
 *
 *   packet-cost [--json FILE] [--rounds N] [--batch N] [--overlap] NAME=PINNED-PROGRAM ... [SCENARIO ...]
 *
 * The programs must be loaded, configured and pinned, without the XDP frags flag, and serve
 *   10.200.1.1:80 tcp and udp      IPv4 backends
 *   [fc00:1::1]:80 tcp and udp     IPv6 backends
 *   10.200.1.3:80 tcp              IPv6 backends
 * from at least 100 backends a pool.
 *
 * For each scenario, many short batches: in every round one of the wrapper alone, one of an ideal
 * encapsulator (wrap.bpf.c: the same growth, a constant header with right length and checksum, nothing else),
 * and one of each program, all with the same flows in the same order. So a machine whose speed drifts drifts
 * for all of them alike. The wrapper reads the clock every 1024 packets (wrap.h): some tens of microseconds,
 * so that most of these chunks are spared by whatever else the machine does. All times are nanoseconds a
 * packet, net: less the wrapper's own.
 *
 *   min      the fastest chunk
 *   median   of the chunks of a round; of the rounds' differences from the wrapper's again the median
 *   spread   how far the median chunk is from the fastest: what is not far above this is noise
 *   /ideal   min over the ideal's min: the figure to compare between machines
 *   /peer    min over the min of the program named last
 *   grew     packets that came out longer by `growth`, as the first one did
 *
 * Exit status 1: a program's packets did not all come out alike, or its outer header is wrong.
 *
 * --overlap leaves out the fences between wrapper and program (see wrap.bpf.c). With them the net time is
 * what a program takes alone, without them what it adds to a loop that overlaps its packets: a lower and an
 * upper bound. The first is the steadier; compare figures of one kind only.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "frame.h"
#include "wrap.h"
#include "wrap.skel.h"

enum { MOST_PROGRAMS = 8, MOST_ROUNDS = 1000, IPV4 = 20, IPV6 = 40, LONGEST = 4096, TX = 3 };
enum { SHOW_AT_ONCE = 100000 };

static const struct scenario scenarios[] = {
	{"v4-tcp-1flow", "10.200.1.1", TCP, ACK, 64, FIXED, 1, true, false, 0},
	{"v4-tcp-10k", "10.200.1.1", TCP, ACK, 64, RANDOM, 10000, true, false, 0},
	{"v4-tcp-100k", "10.200.1.1", TCP, ACK, 64, RANDOM, 100000, true, false, 0},
	{"v4-tcp-1M", "10.200.1.1", TCP, ACK, 64, RANDOM, 1000000, true, false, 0},
	{"v4-tcp-4M", "10.200.1.1", TCP, ACK, 64, RANDOM, 4000000, true, false, 0},
	{"v4-tcp-1480B", "10.200.1.1", TCP, ACK, 1480, FIXED, 1, true, false, 0},
	{"v4-udp-1flow", "10.200.1.1", UDP, 0, 64, FIXED, 1, true, false, 0},
	{"v4-udp-1M", "10.200.1.1", UDP, 0, 64, RANDOM, 1000000, true, false, 0},
	{"v6-tcp-1flow", "fc00:1::1", TCP, ACK, 80, FIXED, 1, true, false, 0},
	{"v6-tcp-1M", "fc00:1::1", TCP, ACK, 80, RANDOM, 1000000, true, false, 0},
	{"v6-udp-1M", "fc00:1::1", UDP, 0, 80, RANDOM, 1000000, true, false, 0},
	{"v4-to-v6-tcp-1M", "10.200.1.3", TCP, ACK, 64, RANDOM, 1000000, true, false, 0},
	{"v4-syn-flood", "10.200.1.1", TCP, SYN, 64, SEQUENTIAL, 0x3000000, false, true, 0},
	{"v4-ack-flood", "10.200.1.1", TCP, ACK, 64, SEQUENTIAL, 0x3000000, false, true, 0},
	{"v4-mix-100k", "10.200.1.1", TCP, ACK, 64, RANDOM, 100000, true, false, 15},
	{"not-a-service", "10.99.99.99", UDP, 0, 64, FIXED, 1, false, false, 0},
};

/* One that takes part: the wrapper alone, an ideal, or a program under test. */
struct runner {
	const char *name;
	int fd, growth, ideal; /* ideal: whose minimum is this one's measure, or -1 */
	bool outer_ipv6;
	__u32 verdict;
	const char *fault;
	double medians[MOST_ROUNDS], fastest, min, median, spread;
	__u64 packets, grew;
};

static struct wrap *wrap;
static int rounds = 60, batch = 50000;
static __u32 fresh_next, new_next;
static FILE *json;
static bool all_right = true; /* every packet of every program came out as the first one did, and rightly */

static void die(const char *what)
{
	fprintf(stderr, "packet-cost: %s: %s\n", what, errno ? strerror(errno) : "failed its self-check");
	exit(1);
}

static __u32 test_run(int fd, const __u8 *frame, int length, __u32 repeat, __u8 *out, int *out_length)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = frame, .data_size_in = length, .data_out = out,
		    .data_size_out = out ? LONGEST : 0, .repeat = repeat);

	/* Without room for what comes out the run is done all the same. */
	if (bpf_prog_test_run_opts(fd, &o) && (out || errno != ENOSPC))
		die("BPF_PROG_TEST_RUN");
	if (out_length)
		*out_length = o.data_size_out;
	return o.retval;
}

/* What a runner's growth has beyond an IP header. */
static int more_than_ip(const struct runner *r)
{
	return r->growth ? r->growth - (r->outer_ipv6 ? IPV6 : IPV4) : 0;
}

static void choose_flows(const struct scenario *s, enum mode mode, __u32 first, __u32 syn_mask)
{
	wrap->bss->c_mode = mode;
	wrap->data->c_nflows = s->flows;
	wrap->bss->c_base = s->fresh ? FRESH_FLOWS : 0;
	wrap->bss->s_next = first;
	wrap->bss->c_syn_mask = syn_mask;
}

/* Runs packets of the scenario through one runner. */
static void run_batch(const struct scenario *s, struct runner *r, const __u8 *frame, __u32 packets)
{
	int fd = bpf_program__fd(scenario_is_ipv6(s) ? wrap->progs.wrap6 : wrap->progs.wrap4);
	__u32 zero = 0, value = r->fd;

	if (bpf_map_update_elem(bpf_map__fd(wrap->maps.jmp), &zero, &value, BPF_ANY))
		die("tail call into the program (loaded with the frags flag?)");
	wrap->bss->c_expect = r->growth;
	wrap->bss->c_more = more_than_ip(r);
	wrap->bss->s_count = wrap->bss->s_as_expected = 0;
	if (test_run(fd, frame, s->length, packets, NULL, NULL) != r->verdict)
		r->fault = "another verdict than at first";
	errno = 0;
	if (wrap->bss->s_count != packets)
		die("wrapper");
	r->packets += packets - 1; /* the last one's growth is not seen */
	r->grew += wrap->bss->s_as_expected;
}

/* Every program sees every flow once, slowly enough for limits on new flows a second. */
static void show_every_flow(const struct scenario *s, struct runner *first, struct runner *end,
			    const __u8 *frame)
{
	for (__u32 done = 0; done < s->flows; done += SHOW_AT_ONCE) {
		__u32 left = s->flows - done;

		for (struct runner *r = first; r < end; r++) {
			choose_flows(s, SEQUENTIAL, done, 0);
			run_batch(s, r, frame, left < SHOW_AT_ONCE ? left : SHOW_AT_ONCE);
		}
		if (s->flows > SHOW_AT_ONCE)
			usleep(1050000);
	}
	for (struct runner *r = first; r < end; r++)
		r->packets = r->grew = 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(double *values, int count)
{
	qsort(values, count, sizeof *values, by_value);
	return values[count / 2];
}

/* Notes the chunks of the batch that was just run. */
static void chunks_take(struct runner *r, int round)
{
	int count = (batch - 1) / CHUNK;
	double ns[MOST_CHUNKS];

	for (int i = 0; i < count; i++)
		ns[i] = (double)wrap->bss->s_ns[i] / CHUNK;
	errno = 0;
	if (!count || !ns[count - 1])
		die("clock of the wrapper");
	memset(wrap->bss->s_ns, 0, sizeof wrap->bss->s_ns);
	r->medians[round] = median_of(ns, count);
	if (!round || ns[0] < r->fastest)
		r->fastest = ns[0];
}

/* wrapper: NULL for the wrapper itself, whose figures are not net. */
static void summarize(struct runner *r, const struct runner *wrapper)
{
	double net[MOST_ROUNDS], raw[MOST_ROUNDS];

	for (int i = 0; i < rounds; i++) {
		raw[i] = r->medians[i];
		net[i] = raw[i] - (wrapper ? wrapper->medians[i] : 0);
	}
	r->min = r->fastest - (wrapper ? wrapper->fastest : 0);
	r->median = median_of(net, rounds);
	r->spread = median_of(raw, rounds) - r->fastest;
}

/* What the program does with the first flow: growth, verdict, and whether the outer header is right. */
static void look(const struct scenario *s, struct runner *r, const __u8 *frame)
{
	__u8 out[LONGEST];
	int length;

	r->verdict = test_run(r->fd, frame, s->length, 1, out, &length);
	r->growth = length - s->length;
	r->outer_ipv6 = r->growth && out[12] == 0x86;
	r->fault = r->growth ? frame_fault(frame, s->length, out, length) : NULL;
}

/* The ideal that grows as this program does, checked byte by byte. */
static struct runner ideal_make(const struct scenario *s, const struct runner *as, const __u8 *frame)
{
	int more = more_than_ip(as), length;
	struct bpf_program *program = as->outer_ipv6 ? more ? wrap->progs.ideal6_more : wrap->progs.ideal6
				      : more         ? wrap->progs.ideal4_more
						     : wrap->progs.ideal4;
	struct runner r = {.name = "ideal",
			   .fd = bpf_program__fd(program),
			   .growth = as->growth,
			   .outer_ipv6 = as->outer_ipv6,
			   .ideal = -1};
	__u8 out[LONGEST], expected[LONGEST];

	errno = 0;
	if (more < 0 || more > MOST_MORE || more % 4)
		die("no ideal encapsulator grows so");
	wrap->bss->c_more = more;
	frame_ideal(frame, s->length, r.outer_ipv6, r.growth, expected);
	r.verdict = test_run(r.fd, frame, s->length, 1, out, &length);
	if (length != s->length + r.growth || memcmp(out, expected, length) || r.verdict != TX)
		die("ideal encapsulator");
	return r;
}

static void report(const struct scenario *s, const struct runner *r, const struct runner *ideal,
		   const struct runner *peer, bool first)
{
	static const char *const verdicts[] = {"ABORTED", "DROP", "PASS", "TX", "REDIRECT"};
	const char *verdict = r->verdict < 5 ? verdicts[r->verdict] : "?";
	double grew = 100.0 * r->grew / r->packets;
	char to_ideal[16] = "-", to_peer[16] = "-";

	if (ideal && ideal->min > 0)
		snprintf(to_ideal, sizeof to_ideal, "%.2f", r->min / ideal->min);
	if (peer)
		snprintf(to_peer, sizeof to_peer, "%.2f", r->min / peer->min);
	all_right &= r->grew == r->packets && !r->fault;
	printf("%-16s %-12s %8.2f %8.2f %8.2f %7s %6s %6d %6.1f%% %s%s%s\n", first ? s->name : "", r->name,
	       r->min, r->median, r->spread, to_ideal, to_peer, r->growth, grew, verdict,
	       r->fault ? " WRONG: " : "", r->fault ? r->fault : "");
	if (json)
		fprintf(json,
			"%s\n {\"scenario\": \"%s\", \"program\": \"%s\", \"min_ns\": %.3f, \"median_ns\": "
			"%.3f, "
			"\"spread_ns\": %.3f, \"to_ideal\": %s, \"to_peer\": %s, \"growth\": %d, "
			"\"grew_percent\": %.3f, \"verdict\": \"%s\"}",
			ftell(json) > 1 ? "," : "", s->name, r->name, r->min, r->median, r->spread,
			*to_ideal == '-' ? "null" : to_ideal, *to_peer == '-' ? "null" : to_peer, r->growth,
			grew, verdict);
	fflush(stdout);
}

/* One round: everyone sees the same flows. */
static void run_round(const struct scenario *s, struct runner *all, int count, int round, const __u8 *frame)
{
	__u64 random = wrap->data->s_random;

	for (int i = 0; i < count; i++) {
		wrap->data->s_random = random;
		wrap->bss->s_new = new_next;
		choose_flows(s, s->mode, s->fresh ? fresh_next : 0, s->syn_mask);
		run_batch(s, &all[i], frame, batch);
		chunks_take(&all[i], round);
	}
	new_next = wrap->bss->s_new;
	if (s->fresh)
		fresh_next = wrap->bss->s_next;
}

/* Who takes part: the wrapper, an ideal for every shape of growth, the programs. Returns how many ideals. */
static int gather(const struct scenario *s, const struct runner *programs, int n, const __u8 *frame,
		  struct runner *all)
{
	struct runner *mine = all + 1 + n;
	int ideals = 0;

	all[0] = (struct runner){
		.name = "wrapper", .fd = bpf_program__fd(wrap->progs.nothing), .ideal = -1, .verdict = TX};
	for (int i = 0; i < n; i++) {
		mine[i] = programs[i];
		look(s, &mine[i], frame);
		mine[i].ideal = -1;
		for (int j = 1; j <= ideals; j++)
			if (all[j].growth == mine[i].growth && all[j].outer_ipv6 == mine[i].outer_ipv6)
				mine[i].ideal = j;
		if (mine[i].growth > 0 && mine[i].ideal < 0) {
			all[++ideals] = ideal_make(s, &mine[i], frame);
			mine[i].ideal = ideals;
		}
	}
	memmove(all + 1 + ideals, mine, n * sizeof *mine);
	return ideals;
}

static void measure(const struct scenario *s, const struct runner *programs, int n)
{
	static struct runner all[1 + 2 * MOST_PROGRAMS];
	int ideals, count;
	__u8 frame[LONGEST] = {};

	frame_make(s, frame);
	memcpy(wrap->bss->c_template, frame, sizeof wrap->bss->c_template);
	wrap->data->c_len = s->length;
	ideals = gather(s, programs, n, frame, all);
	count = 1 + ideals + n;
	if (s->prewarm)
		show_every_flow(s, all + 1 + ideals, all + count, frame);
	for (int round = 0; round < rounds; round++)
		run_round(s, all, count, round, frame);
	for (int i = 0; i < count; i++) {
		summarize(&all[i], i ? &all[0] : NULL);
		errno = 0;
		if (i <= ideals && (all[i].grew != all[i].packets || all[i].fault))
			die(all[i].name);
	}
	for (int i = 0; i < count; i++)
		report(s, &all[i], all[i].ideal < 0 ? NULL : &all[all[i].ideal],
		       i > ideals && i < count - 1 ? &all[count - 1] : NULL, !i);
}

static void begin(bool overlap)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &cpu);
	if (sched_setaffinity(0, sizeof cpu, &cpu))
		die("pin to one processor");
	wrap = wrap__open();
	if (!wrap)
		die("open the wrapper");
	wrap->rodata->fenced = !overlap;
	if (wrap__load(wrap))
		die("load the wrapper");
}

static const struct scenario *scenario_find(const char *name)
{
	for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
		if (!strcmp(scenarios[i].name, name))
			return &scenarios[i];
	return NULL;
}

static int usage(void)
{
	fprintf(stderr, "usage: packet-cost [--json FILE] [--rounds N] [--batch N] [--overlap] "
			"NAME=PINNED-PROGRAM ... [SCENARIO ...]\n");
	for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
		fprintf(stderr, "  %s\n", scenarios[i].name);
	return 2;
}

static void run_all(char **words, const struct runner *programs, int n)
{
	printf("%-16s %-12s %8s %8s %8s %7s %6s %6s %7s %s\n", "scenario", "program", "min", "median",
	       "spread", "/ideal", "/peer", "growth", "grew", "verdict");
	for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
		bool wanted = !*words;

		for (char **word = words; *word; word++)
			wanted |= !strcmp(*word, scenarios[i].name);
		if (wanted)
			measure(&scenarios[i], programs, n);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"json", 1, NULL, 'j'},
						{"rounds", 1, NULL, 'r'},
						{"batch", 1, NULL, 'b'},
						{"overlap", 0, NULL, 'o'},
						{}};
	static struct runner programs[MOST_PROGRAMS];
	bool overlap = false;
	int option, n = 0;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'j' && !(json = fopen(optarg, "w")))
			die(optarg);
		else if (option == 'r')
			rounds = atoi(optarg);
		else if (option == 'b')
			batch = atoi(optarg);
		else if (option == 'o')
			overlap = true;
		else if (option == '?')
			return usage();
	}
	for (char *path; optind < argc && (path = strchr(argv[optind], '=')) && n < MOST_PROGRAMS;
	     optind++, n++) {
		*path++ = 0;
		programs[n] = (struct runner){.name = argv[optind], .fd = bpf_obj_get(path)};
		if (programs[n].fd < 0)
			die(path);
	}
	for (int i = optind; i < argc; i++)
		if (!scenario_find(argv[i]))
			return usage();
	if (!n || rounds < 1 || rounds > MOST_ROUNDS || batch <= CHUNK || (batch - 1) / CHUNK > MOST_CHUNKS)
		return usage();
	begin(overlap);
	if (json)
		fprintf(json, "[");
	run_all(argv + optind, programs, n);
	if (json && (fprintf(json, "\n]\n") < 0 || fclose(json)))
		die("write JSON");
	wrap__destroy(wrap);
	return all_right ? 0 : 1;
}
