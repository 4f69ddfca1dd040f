/* SPDX-License-Identifier: Apache-2.0 */
#include "hold.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/event_log.h"
#include "daemon/base/lock.h"
#include "kern/instance/lifecycle.h"

static void note_pins(const struct hold *hold, int made, const struct refusal *problem)
{
	const char *name = hold->options->instance;
	char text[REFUSAL_TEXT];

	if (problem->what[0] && strcmp(problem->what, hold->problem.what))
		event_note(LOG_LEVEL_ERROR, "pins", name, "%s", refusal_text(problem, text));
	if (made > 0)
		event_note(LOG_LEVEL_WARNING, "pins", name,
			   "%d pins had been removed or replaced: the daemon made them again, and forwarding "
			   "went on",
			   made);
}

/* The lock comes first: what is made before could become another process's. */
int hold_renew(struct hold *hold, struct dataplane *dataplane)
{
	struct refusal problem = {0};
	int made = 0, error = 0;

	if (!hold->locks)
		return 0;
	error = locks_renew(hold->options, hold->locks, &problem);
	if (!error)
		made = dataplane_pins_keep(dataplane, &problem);
	note_pins(hold, made, &problem);
	hold->problem = problem;
	return error == -EBUSY ? error : 0;
}
