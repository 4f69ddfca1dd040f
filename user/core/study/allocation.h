/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Few tokens, placed for balance: each member that joins splits the widest stretches of those who own too
 * much, rather than where a hash falls (the idea of Cassandra 4's allocation of tokens). It depends on the
 * order of joining, so that it is for study, and for rings whose positions are then written down.
 */
#pragma once

#include "core/placement/placement.h"

/*
 * Positions on the full ring of 2^64 for members in joining order, `tokens` each; the caller frees *ret,
 * which borrows the names. 0 or -ENOMEM.
 */
int allocate_tokens(const struct member *members, size_t count, uint32_t tokens, struct token_position **ret);
