/* SPDX-License-Identifier: Apache-2.0 */
/* Slots due to each member by its weight: exact proportional shares, rounded by largest remainder. */
#include <errno.h>
#include <stdlib.h>

#include "score.h"
#include "table.h"

/* A member's claim to one of the slots that rounding down left over. */
struct claim {
	uint64_t remainder;
	uint64_t lot; /* a hash of the name: decides between equal remainders */
	uint32_t member;
};

static bool claim_before(const struct claim *a, const struct claim *b)
{
	if (a->remainder != b->remainder)
		return a->remainder > b->remainder;
	if (a->lot != b->lot)
		return a->lot > b->lot;
	return a->member < b->member;
}

/* Moves the first `wanted` claims of the order to the front (Hoare's selection); their order among themselves
 * is free. */
static void claims_select(struct claim *claims, size_t count, size_t wanted)
{
	size_t from = 0, to = count;

	while (to - from > 1 && wanted > from && wanted < to) {
		struct claim pivot = claims[from + (to - from - 1) / 2];
		size_t i = from, j = to - 1;

		for (;;) {
			while (claim_before(&claims[i], &pivot))
				i++;
			while (claim_before(&pivot, &claims[j]))
				j--;
			if (i >= j)
				break;
			struct claim kept = claims[i];
			claims[i++] = claims[j];
			claims[j--] = kept;
		}
		/* [from, j] come no later than the pivot, [j + 1, to) no earlier. */
		if (wanted <= j + 1)
			to = j + 1;
		else
			from = j + 1;
	}
}

static int refuse_share(const struct placement *placement, const struct placed_member *member,
			struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "weight %u of member %s would earn no slot of %u", member->weight,
	       member->name, placement->slots);
	refusal_where(refusal, "member %s", member->name);
	refusal_right(refusal, "a weight of at least %llu, weight 0, or a larger table",
		      (unsigned long long)(placement->total_weight / placement->slots + 1));
	return -EINVAL;
}

int quota_share(struct placement *placement, struct refusal *refusal)
{
	struct claim *claims = malloc(placement->count * sizeof *claims);
	size_t claimants = 0;
	uint64_t left = placement->slots;

	if (!claims)
		return -ENOMEM;
	for (size_t i = 0; i < placement->count; i++) {
		struct placed_member *member = &placement->members[i];
		uint64_t due = (uint64_t)member->weight * placement->slots;

		member->quota = (uint32_t)(due / placement->total_weight);
		left -= member->quota;
		if (member->weight)
			claims[claimants++] = (struct claim){due % placement->total_weight,
							     score_mix(member->hash), (uint32_t)i};
	}
	claims_select(claims, claimants, left);
	for (size_t i = 0; i < left; i++)
		placement->members[claims[i].member].quota++;
	free(claims);
	for (size_t i = 0; i < placement->count; i++)
		if (placement->members[i].weight && !placement->members[i].quota)
			return refuse_share(placement, &placement->members[i], refusal);
	return 0;
}
