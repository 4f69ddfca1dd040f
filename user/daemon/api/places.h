/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: how many connections the API serves at once, and how users share them. A quarter is the most that
 * one user may hold, and the last sixteenth is for root alone: no user keeps the others or root out.
 */
#pragma once

#include <sys/types.h>

#include "core/value/refusal.h"

enum { PLACES_MAX = 512 };

struct places;
struct holder; /* a user that holds a place */

/* NULL: no memory. The caller frees it when all places are given back. */
struct places *places_new(unsigned int total);
void places_free(struct places *places);

/*
 * Takes a place for a connection of user. 0, or an error with *refusal filled: -EUSERS: the user holds as
 * many as one may. -ENOSPC: all are taken. -ENOMEM.
 */
int place_take(struct places *places, uid_t user, struct holder **ret, struct refusal *refusal);
/* The holder is gone with its last place. */
void place_give_back(struct holder *holder);

uid_t holder_user(const struct holder *holder);
/* "root", or "user 1000" where the number has no name. The holder owns the text. */
const char *holder_name(struct holder *holder);
