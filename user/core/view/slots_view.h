/* SPDX-License-Identifier: Apache-2.0 */
/* A pool's slots as its words have them, neighbours that are alike as one range. */
#ifndef HOLDFAST_SLOTS_VIEW_H
#define HOLDFAST_SLOTS_VIEW_H

#include <jansson.h>

#include "number_name.h"

/* placement NULL: without preferences; else it has as many slots. New reference. */
json_t *slots_view(const struct names *names, const char *pool, const uint64_t *words, uint32_t slots,
		   struct placement *placement);

#endif
