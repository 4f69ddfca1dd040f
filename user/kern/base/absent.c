// SPDX-License-Identifier: Apache-2.0
#include "absent.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "core/value/nearest.h"

/* "eth0, lo", as many as there is room for. */
static void list_names(const struct if_nameindex *names, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (; names && names->if_index && length + IF_NAMESIZE + 8 < size; names++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
					   names->if_name);
	if (names && names->if_index)
		strcpy(text + length, ", ...");
}

int refuse_absent_interface(const char *interface, struct refusal *refusal)
{
	struct if_nameindex *names = if_nameindex();
	struct nearest nearest = nearest_to(interface);
	char list[192];

	for (const struct if_nameindex *name = names; name && name->if_index; name++)
		nearest_offer(&nearest, name->if_name);
	refuse(refusal, -ENODEV, "there is no interface %s in this network namespace", interface);
	list_names(names, list, sizeof list);
	if (nearest.best)
		refusal_right(refusal, "one of %s (did you mean %s?)", list, nearest.best);
	else if (*list)
		refusal_right(refusal, "one of %s", list);
	if (names)
		if_freenameindex(names);
	return -ENODEV;
}
