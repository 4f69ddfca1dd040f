/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_ABSENT_H
#define HOLDFAST_ABSENT_H

#include "core/value/refusal.h"

/* -ENODEV with *refusal filled: the network namespace of this process has no interface of that name; the near
 * miss, or those that there are. */
int refuse_absent_interface(const char *interface, struct refusal *refusal);

#endif
