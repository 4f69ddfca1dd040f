/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring (Karger et al., "Consistent Hashing and Random Trees", STOC 1997): members put tokens on a circle,
 * and a key belongs to the first token at or after it. Token i of a member is the hash of NAME#i.
 */
#include <errno.h>
#include <stdio.h>

#include "tokens.h"

enum { DEFAULT_VIRTUAL_NODES = 100 };

/* How many tokens a member's weight is worth; none but a weight of 0 has none. */
static size_t member_tokens(const struct placement *placement, const struct placed_member *member)
{
	uint64_t each =
		placement->options.virtual_nodes ? placement->options.virtual_nodes : DEFAULT_VIRTUAL_NODES;
	uint64_t tokens = (each * member->weight + 50) / 100;

	return tokens || !member->weight ? tokens : 1;
}

static int ring_hash_tokens(struct placement *placement, struct refusal *refusal)
{
	struct token *token;
	struct ring *ring;
	size_t count = 0;

	for (size_t i = 0; i < placement->count; i++)
		count += member_tokens(placement, &placement->members[i]);
	if (count > RING_MAX_TOKENS) {
		refuse(refusal, -EINVAL, "a ring of %zu tokens is too large", count);
		refusal_right(refusal, "at most %d tokens: fewer virtual nodes, or smaller weights",
			      RING_MAX_TOKENS);
		return -EINVAL;
	}
	placement->state = ring = ring_new(count);
	if (!ring)
		return -ENOMEM;
	token = ring->tokens;
	for (size_t i = 0; i < placement->count; i++)
		for (size_t nth = member_tokens(placement, &placement->members[i]); nth > 0; nth--) {
			char text[96];
			int length =
				snprintf(text, sizeof text, "%s#%zu", placement->members[i].name, nth - 1);
			uint64_t position =
				text_hash(placement->options.hash, placement->seed, text, (size_t)length);

			if (placement->space)
				position %= placement->space;
			*token++ = (struct token){position, (uint16_t)i};
		}
	return 0;
}

static int refuse_position(const struct token_position *given, const char *why, struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "token %llu of member %s %s", (unsigned long long)given->position,
	       given->member, why);
	refusal_where(refusal, "positions");
	refusal_right(refusal, "MEMBER=POSITION, at least one for every member with weight, inside the ring");
	return -EINVAL;
}

/* Tokens given by hand. Those of members without weight are left out. */
static int ring_given_tokens(struct placement *placement, struct refusal *refusal)
{
	const struct placement_options *options = &placement->options;
	struct ring *ring = ring_new(options->position_count);

	placement->state = ring;
	if (!ring)
		return -ENOMEM;
	ring->count = 0;
	for (size_t i = 0; i < options->position_count; i++) {
		const struct token_position *given = &options->positions[i];
		uint16_t member = placement_member_number(placement, given->member);

		if (placement->space && given->position >= placement->space)
			return refuse_position(given, "lies beyond the ring", refusal);
		if (member != PLACEMENT_NONE && placement->members[member].weight)
			ring->tokens[ring->count++] = (struct token){given->position, member};
	}
	for (size_t i = 0; i < placement->count; i++) {
		size_t token = 0;

		while (token < ring->count && ring->tokens[token].member != i)
			token++;
		if (placement->members[i].weight && token == ring->count) {
			refuse(refusal, -EINVAL, "member %s has no token", placement->members[i].name);
			refusal_where(refusal, "positions");
			refusal_right(refusal, "MEMBER=POSITION for every member with weight");
			return -EINVAL;
		}
	}
	return 0;
}

static int ring_prepare(struct placement *placement, const struct placement *previous,
			struct refusal *refusal)
{
	int error;

	(void)previous;
	error = placement->options.position_count ? ring_given_tokens(placement, refusal)
						  : ring_hash_tokens(placement, refusal);
	if (!error)
		error = ring_sort(placement->state, placement->count);
	return error;
}

const struct scheme scheme_ring = {
	.prepare = ring_prepare,
	.release = ring_release,
	.owner = ring_owner,
	.prefer = ring_prefer,
	.visit = ring_visit,
	.bytes = ring_bytes,
};
