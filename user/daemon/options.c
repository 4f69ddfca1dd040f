/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <version.h>

#include "core/model/model.h"

struct option_row {
	const char *name, *argument, *help;
	/* 0; 1: it was answered; -EINVAL after a sentence on standard error. */
	int (*read)(const struct option_row *row, const char *text, struct options *options);
	size_t offset; /* in struct options */
	uint32_t most;
};

enum { ROWS = 15 };
static const struct option_row rows[ROWS];

static int print_version(const struct option_row *row, const char *text, struct options *options)
{
	(void)row;
	(void)text;
	(void)options;
	puts("holdfastd " HOLDFAST_VERSION);
	return 1;
}

static int print_help(const struct option_row *row, const char *text, struct options *options)
{
	(void)row;
	(void)text;
	(void)options;
	puts("usage: holdfastd [OPTION]...\n\nServes one instance of Holdfast in the foreground.\n");
	for (int i = 0; i < ROWS; i++) {
		char left[64];

		snprintf(left, sizeof left, "--%s %s", rows[i].name,
			 rows[i].argument ? rows[i].argument : "");
		printf("  %-22s %s\n", left, rows[i].help);
	}
	return 1;
}

static int option_refuse(const char *name, const char *value, const char *right)
{
	fprintf(stderr, "holdfastd: --%s %s: wanted %s\n", name, value, right);
	return -EINVAL;
}

static int read_limit(const struct option_row *row, const char *text, struct options *options)
{
	uint32_t *limit = (uint32_t *)((char *)options + row->offset);
	char *end, right[64];
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || value < 1 || value > row->most) {
		snprintf(right, sizeof right, "a number from 1 to %u", row->most);
		return option_refuse(row->name, text, right);
	}
	*limit = value;
	return 0;
}

static int read_seed(const struct option_row *row, const char *text, struct options *options)
{
	uint64_t seed = 0;

	if (strlen(text) == 16 && strspn(text, "0123456789abcdefABCDEF") == 16)
		seed = strtoull(text, NULL, 16);
	if (!seed)
		return option_refuse(row->name, text,
				     "16 hexadecimal digits, not all 0 (holdfast seed makes one)");
	options->seed = seed;
	return 0;
}

/* An instance is a file's name and a directory in bpffs. */
static int read_instance(const struct option_row *row, const char *text, struct options *options)
{
	size_t length = strlen(text);
	bool good = length && length < NAME_SIZE && isalnum((unsigned char)text[0]);

	for (size_t i = 0; i < length; i++)
		good = good && (isalnum((unsigned char)text[i]) || text[i] == '-' || text[i] == '_');
	/* The receiver's pins lie beside those of the instances. */
	if (!good || !strcmp(text, "receiver"))
		return option_refuse(row->name, text,
				     "letters, digits, - and _, 63 at most, and not `receiver`");
	options->instance = text;
	return 0;
}

static int read_text(const struct option_row *row, const char *text, struct options *options)
{
	*(const char **)((char *)options + row->offset) = text;
	return 0;
}

static int read_flag(const struct option_row *row, const char *text, struct options *options)
{
	(void)text;
	*(bool *)((char *)options + row->offset) = true;
	return 0;
}

#define AT(member) offsetof(struct options, member)

static const struct option_row rows[ROWS] = {
	{"instance", "NAME", "which instance of this machine to be (default)", read_instance, 0, 0},
	{"config", "FILE", "apply this file at start, unless it was the last applied, and at SIGHUP",
	 read_text, AT(config), 0},
	{"fresh", NULL, "once, after the database is lost: set it aside and begin with what --config says",
	 read_flag, AT(fresh), 0},
	{"runtime-dir", "DIR", "socket and lock (/run/holdfast)", read_text, AT(runtime_directory), 0},
	{"state-dir", "DIR", "database (/var/lib/holdfast)", read_text, AT(state_directory), 0},
	{"seed", "HEX", "placement seed of an instance that has none yet: 16 hexadecimal digits", read_seed,
	 0, 0},
	{"max-slots", "N", "room for the slots of all pools (16777216)", read_limit, AT(limits.slots),
	 1u << 30},
	{"max-flows", "N", "room for remembered flows (1048576)", read_limit, AT(limits.flows), 1u << 28},
	{"max-hops", "N", "room for lists of hops (1048576)", read_limit, AT(limits.hops), (1u << 24) - 1},
	{"max-counters", "N", "room for counters, one a service and backend (65536)", read_limit,
	 AT(limits.counters), 1u << 24},
	{"keep-generations", "N", "how many generations to keep at least (100)", read_limit,
	 AT(keep_generations), 1000000},
	{"keep-days", "N", "for how many days to keep generations at least (7)", read_limit, AT(keep_days),
	 36500},
	{"keep-megabytes", "N", "... but no more than fit into a database of this size (64)", read_limit,
	 AT(keep_megabytes), 1u << 20},
	{"version", NULL, "print the version", print_version, 0, 0},
	{"help", NULL, "print this", print_help, 0, 0},
};

int options_parse(int argc, char **argv, struct options *ret)
{
	enum { FIRST = 256 /* beyond what getopt_long() says of what it does not know */ };
	struct options options = {
		.instance = "default",
		.runtime_directory = "/run/holdfast",
		.state_directory = "/var/lib/holdfast",
		.keep_generations = 100,
		.keep_days = 7,
		.keep_megabytes = 64,
	};
	struct option longs[ROWS + 1] = {0};
	int id, error;

	for (int i = 0; i < ROWS; i++)
		longs[i] = (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument,
					   NULL, FIRST + i};
	while ((id = getopt_long(argc, argv, "", longs, NULL)) >= FIRST) {
		error = rows[id - FIRST].read(&rows[id - FIRST], optarg, &options);
		if (error)
			return error;
	}
	if (id != -1) {
		fprintf(stderr, "holdfastd: see holdfastd --help\n");
		return -EINVAL;
	}
	if (optind < argc) {
		fprintf(stderr, "holdfastd: %s is not an option: see holdfastd --help\n", argv[optind]);
		return -EINVAL;
	}
	*ret = options;
	return 0;
}
