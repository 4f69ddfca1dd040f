/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose numbers were given in many steps, so that no new ledger gives the same. */
#pragma once

#include "unit/models.h"
#include "core/adoption/adoption.h"

/* Two pools; numbers are not in the order of names, and some were given before. */
static inline struct model *used_model(struct ledger *ledger)
{
	struct model *model = model_new(7);

	operate(&model, "pool.add", "{'name': 'gone'}");
	operate(&model, "backend.add", "{'pool': 'gone', 'name': 'x', 'address': '10.0.9.9'}");
	must_assign(ledger, model);
	operate(&model, "pool.remove", "{'name': 'gone'}");
	operate(&model, "pool.add", "{'name': 'web'}");
	for (int i = 9; i > 0; i--)
		operate(&model, "backend.add", "{'pool': 'web', 'name': 'w%d', 'address': '10.0.0.%d'}", i,
			i);
	must_assign(ledger, model);
	operate(&model, "pool.add", "{'name': 'db'}");
	for (int i = 1; i < 4; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'b%d', 'address': '10.0.1.%d'}", i, i);
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'pool': 'db'}");
	operate(&model, "service.add", "{'proto': 'udp', 'listen': '203.0.113.10:1000-1999', 'pool': 'db'}");
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:80', 'pool': 'web'}");
	must_assign(ledger, model);
	return model;
}
