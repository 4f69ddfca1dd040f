/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that are given to somebody new begin at 0, whoever had them before; a range that was outgrown goes
 * on in the one that takes its place. */
#ifndef HOLDFAST_COUNTER_RESET_H
#define HOLDFAST_COUNTER_RESET_H

#include "install.h"

/* Prepares the counters that the install's ledger gives and the instance's did not, before packets count
 * there. */
void counters_reset(const struct instance *instance, const struct install *install);

#endif
