/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <version.h>

#include "core/model/model.h"

enum {
	OPTION_INSTANCE = 256,
	OPTION_RUNTIME,
	OPTION_STATE,
	OPTION_CONFIG,
	OPTION_FRESH,
	OPTION_SEED,
	OPTION_SLOTS,
	OPTION_FLOWS,
	OPTION_HOPS,
	OPTION_COUNTERS,
	OPTION_GENERATIONS,
	OPTION_DAYS,
	OPTION_MEGABYTES,
	OPTION_VERSION,
	OPTION_HELP,
};

struct option_row {
	const char *name, *argument, *help;
	int id;
};

static const struct option_row rows[] = {
	{"instance", "NAME", "which instance of this machine to be (default)", OPTION_INSTANCE},
	{"config", "FILE", "apply this file at start, unless it was the last applied, and at SIGHUP",
	 OPTION_CONFIG},
	{"fresh", NULL, "once, after the database is lost: set it aside and begin with what --config says",
	 OPTION_FRESH},
	{"runtime-dir", "DIR", "socket and lock (/run/holdfast)", OPTION_RUNTIME},
	{"state-dir", "DIR", "database (/var/lib/holdfast)", OPTION_STATE},
	{"seed", "HEX", "placement seed of an instance that has none yet: 16 hexadecimal digits",
	 OPTION_SEED},
	{"max-slots", "N", "room for the slots of all pools (16777216)", OPTION_SLOTS},
	{"max-flows", "N", "room for remembered flows (1048576)", OPTION_FLOWS},
	{"max-hops", "N", "room for lists of hops (1048576)", OPTION_HOPS},
	{"max-counters", "N", "room for counters, one a service and backend (65536)", OPTION_COUNTERS},
	{"keep-generations", "N", "how many generations to keep at least (100)", OPTION_GENERATIONS},
	{"keep-days", "N", "for how many days to keep generations at least (7)", OPTION_DAYS},
	{"keep-megabytes", "N", "... but no more than fit into a database of this size (64)",
	 OPTION_MEGABYTES},
	{"version", NULL, "print the version", OPTION_VERSION},
	{"help", NULL, "print this", OPTION_HELP},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void print_help(void)
{
	puts("usage: holdfastd [OPTION]...\n\nServes one instance of Holdfast in the foreground.\n");
	for (int i = 0; i < ROWS; i++) {
		char left[64];

		snprintf(left, sizeof left, "--%s %s", rows[i].name,
			 rows[i].argument ? rows[i].argument : "");
		printf("  %-22s %s\n", left, rows[i].help);
	}
}

static int option_refuse(const char *name, const char *value, const char *right)
{
	fprintf(stderr, "holdfastd: --%s %s: wanted %s\n", name, value, right);
	return -EINVAL;
}

static int read_limit(const char *name, const char *text, uint32_t most, uint32_t *ret)
{
	char *end, right[64];
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || value < 1 || value > most) {
		snprintf(right, sizeof right, "a number from 1 to %u", most);
		return option_refuse(name, text, right);
	}
	*ret = value;
	return 0;
}

static int read_seed(const char *text, uint64_t *ret)
{
	uint64_t seed = 0;

	if (strlen(text) == 16 && strspn(text, "0123456789abcdefABCDEF") == 16)
		seed = strtoull(text, NULL, 16);
	if (!seed)
		return option_refuse("seed", text,
				     "16 hexadecimal digits, not all 0 (holdfast seed makes one)");
	*ret = seed;
	return 0;
}

/* An instance is a file's name and a directory in bpffs. */
static int read_instance(const char *text, const char **ret)
{
	size_t length = strlen(text);
	bool good = length && length < NAME_SIZE && isalnum((unsigned char)text[0]);

	for (size_t i = 0; i < length; i++)
		good = good && (isalnum((unsigned char)text[i]) || text[i] == '-' || text[i] == '_');
	/* The receiver's pins lie beside those of the instances. */
	if (!good || !strcmp(text, "receiver"))
		return option_refuse("instance", text,
				     "letters, digits, - and _, 63 at most, and not `receiver`");
	*ret = text;
	return 0;
}

static int read_option(int id, const char *name, const char *value, struct options *options)
{
	switch (id) {
	case OPTION_INSTANCE:
		return read_instance(value, &options->instance);
	case OPTION_RUNTIME:
		options->runtime_directory = value;
		return 0;
	case OPTION_STATE:
		options->state_directory = value;
		return 0;
	case OPTION_CONFIG:
		options->config = value;
		return 0;
	case OPTION_FRESH:
		options->fresh = true;
		return 0;
	case OPTION_SEED:
		return read_seed(value, &options->seed);
	case OPTION_SLOTS:
		return read_limit(name, value, 1u << 30, &options->limits.slots);
	case OPTION_FLOWS:
		return read_limit(name, value, 1u << 28, &options->limits.flows);
	case OPTION_HOPS:
		return read_limit(name, value, (1u << 24) - 1, &options->limits.hops);
	case OPTION_COUNTERS:
		return read_limit(name, value, 1u << 24, &options->limits.counters);
	case OPTION_GENERATIONS:
		return read_limit(name, value, 1000000, &options->keep_generations);
	case OPTION_DAYS:
		return read_limit(name, value, 36500, &options->keep_days);
	case OPTION_MEGABYTES:
		return read_limit(name, value, 1u << 20, &options->keep_megabytes);
	case OPTION_VERSION:
		puts("holdfastd " HOLDFAST_VERSION);
		return 1;
	case OPTION_HELP:
		print_help();
		return 1;
	}
	fprintf(stderr, "holdfastd: see holdfastd --help\n");
	return -EINVAL;
}

int options_parse(int argc, char **argv, struct options *ret)
{
	struct options options = {
		.instance = "default",
		.runtime_directory = "/run/holdfast",
		.state_directory = "/var/lib/holdfast",
		.keep_generations = 100,
		.keep_days = 7,
		.keep_megabytes = 64,
	};
	struct option longs[ROWS + 1] = {0};
	int id, row = 0, error;

	for (int i = 0; i < ROWS; i++)
		longs[i] = (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument,
					   NULL, rows[i].id};
	while ((id = getopt_long(argc, argv, "", longs, &row)) != -1) {
		error = read_option(id, id >= 256 ? rows[row].name : "", optarg, &options);
		if (error)
			return error;
	}
	if (optind < argc) {
		fprintf(stderr, "holdfastd: %s is not an option: see holdfastd --help\n", argv[optind]);
		return -EINVAL;
	}
	*ret = options;
	return 0;
}
