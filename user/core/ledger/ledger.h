/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: which number in the data plane's maps stands for which pool, backend, service and counter
 * range. Kept with the generations, since flows and counters outlive the daemon. A backend's number is bound
 * to its pool, name and address: an address that changes is a new number, and a number is not given again
 * while a flow may carry it.
 */
#pragma once

#include "core/model/model.h"

struct ledger;

struct ledger *ledger_new(void);
struct ledger *ledger_copy(const struct ledger *ledger);
void ledger_free(struct ledger *ledger);
json_t *ledger_to_json(const struct ledger *ledger);
int ledger_from_json(const json_t *json, struct ledger **ret);

/*
 * Gives a number to everything in model that has none, and counter ranges wide enough; what is no longer in
 * model is retired (kept, not given again) until ledger_release_*(). -ENOSPC with *refusal when a limit of
 * abi.h is reached, and then nothing has changed.
 */
int ledger_assign(struct ledger *ledger, const struct model *model, uint32_t counter_limit,
		  struct refusal *refusal);

uint32_t ledger_pool(const struct ledger *ledger, const char *pool); /* 1.., 0 none */
uint16_t ledger_backend(const struct ledger *ledger, const char *pool,
			const struct backend *backend); /* 1.., 0 none */
uint16_t ledger_ordinal(const struct ledger *ledger, uint16_t backend);
uint16_t ledger_service(const struct ledger *ledger, const struct service *service, uint32_t *ret_counters,
			uint32_t *ret_ordinals);
/* The names behind numbers, also of retired ones; false: never given. */
bool ledger_backend_name(const struct ledger *ledger, uint16_t number, const char **ret_pool,
			 const char **ret_name, struct address *ret_address);
bool ledger_pool_name(const struct ledger *ledger, uint32_t number, const char **ret_pool);
/* Walks retired backends: calls visit for each until it returns non-zero. */
int ledger_retired(const struct ledger *ledger, int (*visit)(uint16_t backend, void *context), void *context);
/* Releases every retired backend of which is_free() says that neither a packet nor a flow nor a table carries
 * its number any more. */
void ledger_release_backends(struct ledger *ledger, bool (*is_free)(uint16_t backend, void *context),
			     void *context);
/*
 * Releases what only packets carry: retired services and pools, and counter ranges that were outgrown. For
 * when the data plane names them no more and every packet that might is gone. Counters that are given again
 * still hold their old figures: whoever loads a service's first directory entry reads its counters first.
 */
void ledger_release_unused(struct ledger *ledger);
