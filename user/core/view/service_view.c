/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "view.h"

json_t *service_view(const struct service_state *service)
{
	json_t *view = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "service", service->text,
				 "proto", proto_name(service->proto), "listen",
				 strchr(service->text, ' ') + 1, "pool", service->pool, "track",
				 track_name(service->track), "idle", (json_int_t)service->idle, "up",
				 (json_int_t)service->up, "backends", (json_int_t)service->members);

	tally_add(view, service->tally);
	return view;
}

void service_append_problem(const struct service_state *service, json_t *problems)
{
	if (!service->up)
		json_array_append_new(problems,
				      json_sprintf("service %s: no backend %s", service->text,
						   service->takers ? "can be reached" : "takes flows"));
}
