/* SPDX-License-Identifier: Apache-2.0 */
#include "sender.h"

#include <string.h>

void sender_add(json_t *interfaces, const char *name)
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
