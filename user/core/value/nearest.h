/* SPDX-License-Identifier: Apache-2.0 */
/* Near misses: the word somebody probably meant. */
#pragma once

#include <stddef.h>

struct refusal;

/*
 * A search for the candidate nearest to word: by edit distance with neighbours swapped counted as one edit
 * (optimal string alignment), letters compared without case. More than a third of the word's length away is
 * no near miss.
 */
struct nearest {
	const char *word;
	const char *best; /* NULL: nothing near so far */
	size_t distance;
};

struct nearest nearest_to(const char *word);
void nearest_offer(struct nearest *nearest, const char *candidate); /* borrowed while the search lasts */
/* Sets refusal->right to "did you mean BEST?" where one is near, otherwise to `otherwise` (may be NULL). */
void nearest_right(const struct nearest *nearest, struct refusal *refusal, const char *otherwise);
