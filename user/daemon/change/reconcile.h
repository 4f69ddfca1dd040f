/* SPDX-License-Identifier: Apache-2.0 */
/* The data plane is opened and made what is in force, at a start and by an upgrade. */
#pragma once

#include "daemon/instance.h"

/*
 * Nothing is touched that is right already, and nothing is attached before its tables are. starting: the
 * database may be another than the one by which the pins were made (recovery.h). 0, or a negative errno with
 * *refusal filled.
 */
int reconcile(struct instance *instance, bool starting, struct refusal *refusal);

/* An upgrade while packets flow (kern/program/program_upgrade.h). Puts the programs that this daemon was
 * built with in the place of the attached ones, flows and all. *ret_changed: those were of another build. 0,
 * or a negative errno with *refusal filled. */
int upgrade_programs(struct instance *instance, bool *ret_changed, struct refusal *refusal);
