/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "view.h"

json_t *service_view(const struct service_state *state)
{
	const struct service *service = state->service;
	char text[LISTEN_TEXT];
	json_t *view;

	listen_text(&service->listen, text);
	view = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "service", text, "proto",
			 proto_name(service->proto), "listen", strchr(text, ' ') + 1, "pool", service->pool,
			 "track", track_name(service->track), "idle", (json_int_t)service_idle(service), "up",
			 (json_int_t)state->up, "backends", (json_int_t)state->members);
	tally_add(view, state->tally);
	return view;
}

void service_append_problem(const struct service_state *state, json_t *problems)
{
	char text[LISTEN_TEXT];

	if (!state->up)
		json_array_append_new(problems,
				      json_sprintf("service %s: no backend %s",
						   listen_text(&state->service->listen, text),
						   state->takers ? "can be reached" : "takes flows"));
}
