/* SPDX-License-Identifier: Apache-2.0 */
/* A refused change: what is wrong, where, and what would be right. Filled by whoever returns -EINVAL and the
 * like. */
#pragma once

#include <stdint.h>

struct refusal {
	char what[256];  /* "weight 70000 is out of range" */
	char where[192]; /* "pool db, backend db2" or "line 7, column 12: pools[0].backends[1].weight"; may be
			    empty */
	char right[256]; /* "a weight from 0 to 65535"; may be empty */
	char kind[24];   /* for programs: "move-limit"; empty: the error says enough */
};

/* Fills *refusal (which may be NULL) printf-fashion, and returns error, so that a caller can `return
 * refuse(...)`. */
__attribute__((format(printf, 3, 4))) int refuse(struct refusal *refusal, int error, const char *what, ...);
/* Gives a refusal without words those of error, so that every refusal has a sentence. Returns
 * error; 0 changes nothing. */
int refusal_complete(struct refusal *refusal, int error);
__attribute__((format(printf, 2, 3))) void refusal_where(struct refusal *refusal, const char *where, ...);
__attribute__((format(printf, 2, 3))) void refusal_right(struct refusal *refusal, const char *right, ...);
/* What to do where a map is full: less, or a greater one by holdfastd's option. The size of a map counts from
 * when the pins are made. */
void refusal_right_raise(struct refusal *refusal, const char *less, const char *option, uint64_t value);
void refusal_kind(struct refusal *refusal, const char *kind);

enum { REFUSAL_TEXT = sizeof(struct refusal) };

/* All of it in one line, as the command line prints it: "WHERE: WHAT: RIGHT". Returns text. */
const char *refusal_text(const struct refusal *refusal, char text[REFUSAL_TEXT]);
