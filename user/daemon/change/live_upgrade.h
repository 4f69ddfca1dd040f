/* SPDX-License-Identifier: Apache-2.0 */
/* An upgrade while packets flow (kern/program/program_upgrade.h). */
#ifndef HOLDFAST_LIVE_UPGRADE_H
#define HOLDFAST_LIVE_UPGRADE_H

#include "daemon/instance.h"

/* Puts the programs that this daemon was built with in the place of the attached ones, flows and all.
 * *ret_changed: those were of another build. 0, or a negative errno with *refusal filled. */
int upgrade_programs(struct instance *instance, bool *ret_changed, struct refusal *refusal);

#endif
