/* SPDX-License-Identifier: Apache-2.0 */
/* What one pass over the pins finds. */
#pragma once

#include "core/image/slot_count.h"
#include "core/value/tally.h"
#include "offline.h"

/* Rates are absent in tallies. */
struct found_service {
	const struct hf_service *entry; /* the first, where a range of ports has several; NULL: no service */
	struct tally tally;
};

struct found_backend {
	uint32_t pool; /* number; 0: of no pool */
	bool reached;  /* its packets have a next hop, and its interface carries them */
	bool removed;  /* a daemon that died may have left the entry of a backend that it had just removed */
	const struct backend *stored; /* of the last generation; NULL: it has none, or there is no database */
	struct tally tally;
};

/* All by number. */
struct inventory {
	struct found_service services[HF_MAX_SERVICES];
	struct found_backend backends[HF_MAX_BACKENDS];
	struct slot_count slots[HF_MAX_BACKENDS];
};

/* The caller frees it. NULL: it cannot be read. */
struct inventory *inventory_take(const struct offline *offline);
