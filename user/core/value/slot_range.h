/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns which slots of a table, as text: "db1=0-8191,db2=8192-16383". */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SLOTS_MOST = 1048573 }; /* of a table */

struct slot_range {
	uint32_t first, last; /* inclusive */
	const char *member;
};

/* "17" or "0-99", of a table of SLOTS_MOST. 0 or -EINVAL. */
int slots_parse(const char *text, uint32_t *ret_first, uint32_t *ret_last);

/* The text that names no range: slots are divided by weight. */
#define SLOT_RANGES_EVEN "even"

/*
 * The ranges that a text names, in the order of slots, and behind them their names: the caller's to free as
 * one. 0, -EINVAL (no such text, or ranges that overlap), -ENOMEM.
 */
int slot_ranges_parse(const char *text, struct slot_range **ret_ranges, size_t *ret_count);
/* The text of ranges that are in the order of slots; neighbours of one owner become one. The caller frees it;
 * NULL: out of memory. */
char *slot_ranges_text(const struct slot_range *ranges, size_t count);
/* A text in its one form, the caller's to free; NULL for SLOT_RANGES_EVEN. 0, -EINVAL, -ENOMEM. */
int slot_ranges_canonical(const char *text, char **ret);
