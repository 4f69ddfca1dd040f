/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "known.h"
#include "view.h"

json_t *interface_view(const struct interface_state *interface)
{
	return json_pack("{s:s, s:s, s:s, s:s?, s:o, s:o, s:s?}", "name", interface->name, "mode",
			 interface->mode, "state", interface->state, "program", interface->program,
			 "program_id", known_integer(interface->program_id), "link_id",
			 known_integer(interface->link_id), "problem", interface->problem);
}

void interfaces_add_sender(json_t *interfaces, const char *name)
{
	json_t *interface;
	size_t i;

	json_array_foreach (interfaces, i, interface) {
		if (!strcmp(json_string_value(json_object_get(interface, "name")), name))
			return;
	}
	json_array_append_new(interfaces,
			      json_pack("{s:s, s:s, s:s}", "name", name, "mode", "-", "state", "sends"));
}
