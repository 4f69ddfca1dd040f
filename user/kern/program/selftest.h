/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_SELFTEST_H
#define HOLDFAST_SELFTEST_H

#include "core/value/refusal.h"

/* Sends golden packets through the embedded program, on maps of its own. -ENOEXEC: it does not do what it
 * should, as the refusal says. */
int selftest_run(struct refusal *refusal);

#endif
