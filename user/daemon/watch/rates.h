/* SPDX-License-Identifier: Apache-2.0 */
/* Rates: the data plane's counters by service, backend and reason, and how fast they grow, sampled once a
 * second. */
#pragma once

#include "core/ledger/ledger.h"
#include "core/value/tally.h"
#include "kern/maps/dataplane.h"

struct rates;

int rates_open(struct dataplane *const *dataplane, struct rates **ret);
void rates_close(struct rates *rates);
/* Learns who counts where. After every change of model or ledger; -ENOMEM leaves what was. */
int rates_learn(struct rates *rates, const struct model *model, const struct ledger *ledger);
/* Reads all counters. now: monotonic milliseconds; rates are set when the last time was half a second ago or
 * more. */
void rates_sample(struct rates *rates, int64_t now);

/* Never NULL: what was not sampled yet is 0. */
const struct tally *rates_service(const struct rates *rates, uint16_t service);
const struct tally *rates_backend(const struct rates *rates, uint16_t backend);
const struct tally *rates_reason(const struct rates *rates, unsigned reason); /* flows is 0 */
/* New flows a second of all services of a pool: flows, seen and unseen of a tally. */
struct tally rates_pool(const struct rates *rates, const struct model *model, const struct ledger *ledger,
			const char *pool);
