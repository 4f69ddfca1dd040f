/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a text that a parser refused. The parsers say yes or no; these functions look at a text
 * that got a no and find the words for it. They are asked after the parser, and have a sentence for every
 * text.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct diagnosis {
	char why[96];    /* the end of a sentence that begins with the text: "has a space" */
	char right[160]; /* what to type instead; empty: what the key or option takes, which the caller knows
			  */
};

struct diagnosis diagnose_name(const char *text);
struct diagnosis diagnose_interface(const char *text);
struct diagnosis diagnose_number(const char *text, int64_t low, int64_t high);
/* low and high in seconds. */
struct diagnosis diagnose_duration(const char *text, uint32_t low, uint32_t high);
/* low and high in thousandths. */
struct diagnosis diagnose_percent(const char *text, int64_t low, int64_t high);
struct diagnosis diagnose_seed(const char *text);
struct diagnosis diagnose_slots(const char *text, uint32_t most);
/* NAME=SLOTS with commas between; most as there. */
struct diagnosis diagnose_ranges(const char *text, uint32_t most);

/* Of diagnosis_address.c. */
struct diagnosis diagnose_address(const char *text);
struct diagnosis diagnose_prefix(const char *text);
/* Prefixes with a comma between, of each family one at most. */
struct diagnosis diagnose_source(const char *text);
/* ADDRESS:PORTS. */
struct diagnosis diagnose_endpoint(const char *text);
/* PROTO ADDRESS:PORTS. */
struct diagnosis diagnose_listen(const char *text);

/* One that says why and nothing else, printf-fashion. */
__attribute__((format(printf, 1, 2))) struct diagnosis diagnosis(const char *why, ...);

enum { QUOTED_TEXT = 96 };
/* text in quotes, with "..." where it is cut. Returns quoted. */
const char *quote(const char *text, char quoted[QUOTED_TEXT]);
