/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs of placement, as holdfast-placement and holdfast show them. None names what it does: the one
 * program does it, and the other starts that one.
 */
#ifndef HOLDFAST_STUDY_PLACEMENT_VERBS_H
#define HOLDFAST_STUDY_PLACEMENT_VERBS_H

#include "cli/frame/verb.h"

extern const struct verb placement_verbs[]; /* ends with verb NULL */

#endif
