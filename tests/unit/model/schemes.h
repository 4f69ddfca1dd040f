/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of one scheme or another, and the tables they come to. */
#pragma once

#include "unit/models.h"

/* A pool db of this scheme with so many backends, and a service in front of it. */
__attribute__((unused)) static struct model *model_of(const char *scheme, int backends)
{
	struct model *model = small_model(backends);

	operate(&model, "pool.set", "{'name': 'db', 'scheme': '%s'}", scheme);
	return model;
}

/* The digest of the table of the first pool. */
__attribute__((unused)) static uint64_t table_digest(const struct model *model)
{
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "");
	uint64_t digest = image->pools[0].digest;

	image_free(image);
	ledger_free(ledger);
	return digest;
}
