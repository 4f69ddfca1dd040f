/* SPDX-License-Identifier: Apache-2.0 */
#include "allocation.h"

#include <errno.h>
#include <stdlib.h>

/* A stretch ends at its token and belongs to the token's member. */
struct stretch {
	uint64_t end, width; /* width 0: the whole ring */
	size_t owner;
};

struct allocation {
	struct stretch *stretches;
	size_t count;
	double *shares; /* of the ring, by member */
};

static double stretch_width(const struct stretch *stretch)
{
	return stretch->width ? (double)stretch->width : 18446744073709551616.0;
}

/*
 * The stretch to split: the widest of whoever owns most, so that no member is robbed twice before others are
 * once. Ties go to the earliest.
 */
static struct stretch *widest_of_the_richest(const struct allocation *allocation, size_t newcomer)
{
	struct stretch *best = NULL;

	for (size_t i = 0; i < allocation->count; i++) {
		struct stretch *stretch = &allocation->stretches[i];
		double richer;

		if (stretch->owner == newcomer && newcomer > 0)
			continue;
		richer = best ? allocation->shares[stretch->owner] - allocation->shares[best->owner] : 1;
		if (richer > 0 || (richer == 0 && stretch_width(stretch) > stretch_width(best)))
			best = stretch;
	}
	return best;
}

/* Takes as much of the stretch as the newcomer still wants for this token, half of it at most but for the
 * first. */
static void split(struct allocation *allocation, struct stretch *stretch, size_t newcomer, double wanted)
{
	double width = stretch_width(stretch), most = width * 15 / 16, taken = wanted < most ? wanted : most;
	struct stretch *own = &allocation->stretches[allocation->count++];

	/* The newcomer's token lies inside and takes the stretch's beginning. */
	own->width = (uint64_t)taken ? (uint64_t)taken : 1;
	own->end = stretch->end - (uint64_t)(width - taken);
	own->owner = newcomer;
	stretch->width = (uint64_t)(width - (double)own->width);
	allocation->shares[stretch->owner] -= (double)own->width;
	allocation->shares[newcomer] += (double)own->width;
}

static void join(struct allocation *allocation, size_t newcomer, uint32_t tokens)
{
	double due = 18446744073709551616.0 / (double)(newcomer + 1);

	if (!newcomer) { /* the first has it all: evenly */
		uint64_t width = tokens > 1 ? UINT64_MAX / tokens : 0;

		for (uint32_t i = 0; i < tokens; i++)
			allocation->stretches[allocation->count++] =
				(struct stretch){(i + 1) * width, width, 0};
		allocation->shares[0] = 18446744073709551616.0;
		return;
	}
	for (uint32_t left = tokens; left > 0; left--)
		split(allocation, widest_of_the_richest(allocation, newcomer), newcomer,
		      (due - allocation->shares[newcomer]) / left);
}

int allocate_tokens(const struct member *members, size_t count, uint32_t tokens, struct token_position **ret)
{
	struct allocation allocation = {.stretches = calloc(count * tokens + 1, sizeof *allocation.stretches),
					.shares = calloc(count + 1, sizeof *allocation.shares)};
	struct token_position *positions = calloc(count * tokens + 1, sizeof *positions);
	int error = allocation.stretches && allocation.shares && positions ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		join(&allocation, i, tokens);
	for (size_t i = 0; i < allocation.count && !error; i++)
		positions[i] = (struct token_position){members[allocation.stretches[i].owner].name,
						       allocation.stretches[i].end};
	free(allocation.stretches);
	free(allocation.shares);
	if (error)
		free(positions);
	else
		*ret = positions;
	return error;
}
