/* SPDX-License-Identifier: Apache-2.0 */
#include "mistake.h"

#include <errno.h>

#include "kern/preflight/host_objection.h"

/* At a first start nobody can confirm a likely mistake, and it ends nothing: `status`
 * warns. All ports of the host's own address would end what it is reached by. */
int mistakes_visit(const struct model *before, const struct model *after, bool first, objection_visit *visit,
		   void *context)
{
	int result = 0;

	if (!first)
		result = objections_visit(before, after, visit, context);
	if (!result && !first)
		result = host_visit_backends(before, after, visit, context);
	return result ? result : host_visit_services(before, after, visit, context);
}

static int take_mistake(const struct objection *objection, void *refusal)
{
	if (objection->weight != OBJECTION_MISTAKE)
		return 0;
	*(struct refusal *)refusal = objection->refusal;
	return -EPERM;
}

int mistakes_check(const struct model *before, const struct model *after, bool first, struct refusal *refusal)
{
	return mistakes_visit(before, after, first, take_mistake, refusal);
}
