/* SPDX-License-Identifier: Apache-2.0 */
/* GRO, which generic XDP needs off: it sees what GRO put together, frames larger than any MTU. */
#pragma once

#include <stdbool.h>

/*
 * Switches GRO off where it is on. Then a note lies beside pin, where the attachment's link is pinned: a
 * directory, since bpffs keeps nothing else. 0 also where the driver has no GRO.
 */
int gro_hold(const char *interface, const char *pin);
/* Switches it on again where such a note lies, and removes the note. interface NULL: it is gone. */
void gro_give_back(const char *interface, const char *pin);
bool gro_held(const char *pin);
int gro_note(const char *pin); /* makes the note that was there before */
