/* SPDX-License-Identifier: Apache-2.0 */
/* Likely mistakes of a change: objections of the model (core/review/objection.h), and of this host
 * (kern/preflight/host_objection.h). */
#ifndef HOLDFAST_MISTAKE_H
#define HOLDFAST_MISTAKE_H

#include "core/review/objection.h"

/* Visits what the change brings of objections that are likely mistakes, and notes. first: nothing was ever in
 * force. 0, what visit returned, -ENOMEM. */
int mistakes_visit(const struct model *before, const struct model *after, bool first, objection_visit *visit,
		   void *context);
/* Refuses the first likely mistake. 0, -EPERM with *refusal filled, -ENOMEM. */
int mistakes_check(const struct model *before, const struct model *after, bool first,
		   struct refusal *refusal);

#endif
