/* SPDX-License-Identifier: Apache-2.0 */
#include "carriers.h"

#include "daemon/base/event_log.h"

static bool was_without(const struct carriers *carriers, uint32_t ifindex)
{
	for (size_t i = 0; i < carriers->count; i++)
		if (carriers->without[i] == ifindex)
			return true;
	return false;
}

/* Returns whether packets can come in. */
static bool tell_carrier(const struct carriers *before, const struct attachment *at,
			 const struct next_hops *next_hops)
{
	char text[CARRIER_TEXT];
	const char *problem = carrier_problem(next_hops_link(next_hops, at->ifindex), at->interface, text);
	bool was = was_without(before, at->ifindex);

	if (problem && !was)
		event_note(LOG_LEVEL_WARNING, "interface", at->interface, "%s", problem);
	else if (!problem && was)
		event_note(LOG_LEVEL_NOTICE, "interface", at->interface,
			   "it is up, and packets come in again");
	return !problem;
}

void carriers_tick(struct carriers *carriers, struct interfaces *interfaces,
		   const struct next_hops *next_hops, const struct model *model)
{
	struct carriers now = {.count = 0};

	for (size_t i = 0; i < model->interface_count; i++) {
		struct attachment at;

		if (!interfaces_attachment(interfaces, model->interfaces[i].name, &at) || at.elsewhere)
			continue;
		if (!tell_carrier(carriers, &at, next_hops) && now.count < HF_MAX_LINKS)
			now.without[now.count++] = at.ifindex;
	}
	*carriers = now;
}
