/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that the ledger has retired. */
#pragma once

#include "daemon/instance.h"

/*
 * Releases what was retired and is carried by nobody any more: numbers, services, ranges of counters. Whether
 * it could be told: a count of flows must be late enough for it (evidence.h).
 */
bool numbers_release(struct instance *instance);
