/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest.h"

#include <ctype.h>
#include <string.h>

#include "refusal.h"

enum { LONGEST = 63 }; /* words beyond it are nobody's near miss */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: Damerau-Levenshtein without edits inside a swapped pair; three rows suffice. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][LONGEST + 1];

	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *twice = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t change = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);

			row[j] = least(change, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = least(row[j], twice[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

struct nearest nearest_to(const char *word)
{
	size_t length = strlen(word), third = length / 3;

	return (struct nearest){.word = word, .distance = (third ? third : 1) + 1};
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
	size_t word_length = strlen(nearest->word), length = strlen(candidate), distance;

	if (word_length > LONGEST || length > LONGEST || word_length == 0)
		return;
	distance = edit_distance(nearest->word, word_length, candidate, length);
	if (distance < nearest->distance && distance < length) {
		nearest->best = candidate;
		nearest->distance = distance;
	}
}

void nearest_right(const struct nearest *nearest, struct refusal *refusal, const char *otherwise)
{
	if (nearest->best)
		refusal_right(refusal, "did you mean %s?", nearest->best);
	else if (otherwise)
		refusal_right(refusal, "%s", otherwise);
}
