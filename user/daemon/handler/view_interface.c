/* SPDX-License-Identifier: Apache-2.0 */
#include "views.h"

const char *interface_problem(struct instance *instance, const struct interface *interface,
			      char text[CARRIER_TEXT])
{
	const char *problem = interfaces_problem(instance->interfaces, interface->name);
	struct attachment at;

	if (problem)
		return problem;
	if (!interfaces_attachment(instance->interfaces, interface->name, &at))
		return "it is not attached yet";
	if (at.elsewhere)
		return "it is in another network namespace";
	return carrier_problem(next_hops_link(instance->next_hops, at.ifindex), at.interface, text);
}

static json_t *interface_object(struct instance *instance, const struct interface *interface)
{
	struct attachment at;
	char text[CARRIER_TEXT];
	struct interface_state state = {
		.name = interface->name,
		.mode = mode_name(interface->mode),
		.state = "detached",
		.program_id = -1,
		.link_id = -1,
		.problem = interface_problem(instance, interface, text),
	};

	if (interfaces_attachment(instance->interfaces, interface->name, &at) && !at.elsewhere) {
		state.mode = at.generic ? "generic" : "native";
		state.state = "attached";
		/* The kernel tells tags of programs by number only to those who may administer all of it. */
		state.program = at.tag[0] ? at.tag : dataplane_program_tag(instance->dataplane);
		state.program_id = at.program;
		state.link_id = at.link;
	}
	return interface_view(&state);
}

json_t *interfaces_list(struct instance *instance)
{
	json_t *list = json_array();

	for (size_t i = 0; i < instance->model->interface_count; i++)
		json_array_append_new(list, interface_object(instance, &instance->model->interfaces[i]));
	return list;
}

json_t *view_interfaces(struct instance *instance)
{
	return json_pack("{s:o}", "interfaces", interfaces_list(instance));
}
