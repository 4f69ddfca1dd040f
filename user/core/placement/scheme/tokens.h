/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of tokens, as `ring` and `ketama` place them. */
#pragma once

#include "scheme.h"

struct token {
	uint64_t position;
	uint16_t member;
};

struct ring {
	size_t count;
	uint32_t *own;         /* the numbers of each member's tokens, member by member, ascending */
	size_t *starts;        /* where a member's begin in own; the next one's is their end */
	struct token tokens[]; /* by position, then by name */
};

enum { RING_MAX_TOKENS = 1 << 24 };

/* A ring for count tokens; fill tokens, then sort. NULL: out of memory. */
struct ring *ring_new(size_t count);
int ring_sort(struct ring *ring, size_t members); /* 0 or -ENOMEM */
/* The answers of a scheme whose state is a ring. */
void ring_release(struct placement *placement);
uint16_t ring_owner(const struct placement *placement, uint64_t hash);
size_t ring_prefer(const struct placement *placement, uint64_t hash, uint16_t *ret_members, size_t max);
void ring_visit(const struct placement *placement, uint64_t hash, const struct placement_visitor *visitor);
size_t ring_bytes(const struct placement *placement);
