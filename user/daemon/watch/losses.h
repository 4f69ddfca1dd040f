/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether drivers lose what the data plane forwards (kern/base/driver_drops.h), on the interfaces that run
 * the program and on those that packets leave by. What rises from one look to the next is happening.
 */
#pragma once

#include <net/if.h>
#include <stdbool.h>

#include "core/image/image.h"
#include "kern/maps/dataplane.h"

enum { MAX_LOSSES = 2 * HF_MAX_LINKS };

struct loss {
	char interface[IF_NAMESIZE];
	uint32_t ifindex;
	bool seen;       /* at the last look */
	bool counted;    /* the driver counts such losses */
	bool losing;     /* it rose within the last seconds */
	uint64_t lost;   /* since the driver was loaded */
	uint64_t began;  /* lost, before it began to rise; while `losing` */
	int64_t rose;    /* when it was last seen to rise */
	double a_second; /* between the last two looks */
};

/* All 0 at first. Times are monotonic milliseconds. */
struct losses {
	struct loss list[MAX_LOSSES];
	size_t count;
	int64_t looked;
};

/* Every few seconds: drivers of hardware take milliseconds to answer. */
void losses_tick(struct losses *losses, struct dataplane *dataplane, const struct image *image, int64_t now);
/* At once. Notes an event when an interface begins to lose, and when that is over. */
void losses_look(struct losses *losses, struct dataplane *dataplane, const struct image *image, int64_t now);
/* NULL: the interface neither runs the program nor do packets leave by it. Borrowed until the next look. */
const struct loss *losses_of(const struct losses *losses, const char *interface);
