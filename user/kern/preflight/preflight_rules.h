/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of routing policy that ask for more than a destination: next hops are looked up by nothing else. */
#ifndef HOLDFAST_PREFLIGHT_RULES_H
#define HOLDFAST_PREFLIGHT_RULES_H

#include "findings.h"
#include "kern/neighbour/nexthop.h"

/* Warns of each rule by which packets to some backend would go another way than they do. nexthops: of all
 * backends of the model. 0 or -errno. */
int check_rules(const struct model *model, const struct nexthops *nexthops, struct findings *findings);

#endif
