/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that a ledger gives to the backends of pool db. */
#pragma once

#include "unit/models.h"

static inline uint16_t number_of(const struct ledger *ledger, const struct model *model, const char *name)
{
	return ledger_backend(ledger, "db", pool_backend(model_pool(model, "db"), name));
}

static inline bool is_this(uint16_t backend, void *context)
{
	return backend == *(const uint16_t *)context;
}

static inline void release(struct ledger *ledger, uint16_t backend)
{
	ledger_release_backends(ledger, is_this, &backend);
}
