// SPDX-License-Identifier: Apache-2.0
#include "gro.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kern/base/ethtool.h"
#include "kern/base/pins.h"

/* ".../links/eth0" -> ".../gro/eth0"; ".../eth0/link" of a receiver -> ".../eth0/gro". */
static const char *note_path(const char *pin, char note[PIN_PATH])
{
	const char *name = strrchr(pin, '/'), *parent = name - strlen("/links");

	if (!strncmp(parent, "/links", strlen("/links")))
		snprintf(note, PIN_PATH, "%.*s/gro%s", (int)(parent - pin), pin, name);
	else
		snprintf(note, PIN_PATH, "%.*s/gro", (int)(name - pin), pin);
	return note;
}

bool gro_held(const char *pin)
{
	char note[PIN_PATH];

	return !access(note_path(pin, note), F_OK);
}

int gro_note(const char *pin)
{
	char note[PIN_PATH];

	return pins_make_directory(note_path(pin, note));
}

int gro_hold(const char *interface, const char *pin)
{
	bool on;
	int r = ethtool_gro(interface, &on);

	if (!r && on)
		r = gro_note(pin);
	if (!r && on)
		r = ethtool_gro_set(interface, false);
	return r == -EOPNOTSUPP ? 0 : r;
}

void gro_give_back(const char *interface, const char *pin)
{
	char note[PIN_PATH];

	if (!gro_held(pin))
		return;
	if (interface)
		ethtool_gro_set(interface, true);
	rmdir(note_path(pin, note));
	*strrchr(note, '/') = '\0';
	rmdir(note); /* stays while it holds anything else */
}
