/* SPDX-License-Identifier: Apache-2.0 */
/* The table of schemes. */
#include "schemes.h"

#include <errno.h>
#include <string.h>

const char *const placement_scheme_names[] = {
	[PLACEMENT_MAGLEV] = "maglev", [PLACEMENT_STABLE] = "stable", [PLACEMENT_RENDEZVOUS] = "rendezvous",
	[PLACEMENT_RING] = "ring",     [PLACEMENT_KETAMA] = "ketama", [PLACEMENT_JUMP] = "jump",
	[PLACEMENT_MODULO] = "modulo", [PLACEMENT_SLOTS] = "slots",   [PLACEMENT_SCHEMES] = NULL,
};

static const struct scheme *const schemes[PLACEMENT_SCHEMES] = {
	[PLACEMENT_MAGLEV] = &scheme_maglev,         [PLACEMENT_STABLE] = &scheme_stable,
	[PLACEMENT_RENDEZVOUS] = &scheme_rendezvous, [PLACEMENT_RING] = &scheme_ring,
	[PLACEMENT_KETAMA] = &scheme_ketama,         [PLACEMENT_JUMP] = &scheme_jump,
	[PLACEMENT_MODULO] = &scheme_modulo,         [PLACEMENT_SLOTS] = &scheme_slots,
};

const struct scheme *scheme_of(const struct placement *placement)
{
	return schemes[placement->scheme];
}

int placement_check_slots(enum placement_scheme scheme, uint32_t slots, struct refusal *refusal)
{
	if ((unsigned int)scheme >= PLACEMENT_SCHEMES) {
		refuse(refusal, -EINVAL, "scheme number %d is unknown", (int)scheme);
		return -EINVAL;
	}
	if (slots < PLACEMENT_MIN_SLOTS || slots > PLACEMENT_MAX_SLOTS) {
		refuse(refusal, -EINVAL, "table size %u is out of range", slots);
		refusal_right(refusal, "a size from %d to %d", PLACEMENT_MIN_SLOTS, PLACEMENT_MAX_SLOTS);
		return -EINVAL;
	}
	return schemes[scheme]->check_slots ? schemes[scheme]->check_slots(slots, refusal) : 0;
}

const char *placement_scheme_name(enum placement_scheme scheme)
{
	return (unsigned int)scheme < PLACEMENT_SCHEMES ? placement_scheme_names[scheme] : "unknown";
}

int placement_scheme_parse(const char *word, enum placement_scheme *ret)
{
	for (int scheme = 0; scheme < PLACEMENT_SCHEMES; scheme++)
		if (!strcmp(word, placement_scheme_names[scheme])) {
			*ret = (enum placement_scheme)scheme;
			return 0;
		}
	return -EINVAL;
}
