/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger beside what the data plane holds: whether they agree, and a new ledger where the old one is lost.
 */
#pragma once

#include "core/image/image.h"
#include "core/ledger/ledger.h"

/*
 * Whether the ledger gave every number that the data plane uses, and to the same backend, service or pool.
 * loaded is what was read back from the maps. -ENOTRECOVERABLE with *refusal naming the first that it did
 * not: the ledger is another instance's, or older than the data plane.
 */
int ledger_knows(const struct ledger *ledger, const struct image *loaded, struct refusal *refusal);
/*
 * Makes a ledger for a model whose own is lost, from what was read back from the maps. It finds services by
 * protocol and address, pools by their services, and a pool's backends by address. These keep their numbers,
 * and so their connections. Other numbers are retired. ledger_assign() gives the missing ones. 0 or -ENOMEM.
 */
int ledger_adopt(const struct image *loaded, const struct model *model, struct ledger **ret);
