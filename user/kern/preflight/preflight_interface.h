/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the preflight that balancers and receivers have in common. */
#ifndef HOLDFAST_PREFLIGHT_INTERFACE_H
#define HOLDFAST_PREFLIGHT_INTERFACE_H

#include <stdbool.h>

#include "findings.h"
#include "kern/base/route.h"

/* mode: as configured; generic: as attached. false: there is no such interface. */
bool check_interface(const char *interface, enum interface_mode mode, bool generic,
		     struct findings *findings);
/* Whether packets that came in elsewhere can be sent out of interface. */
void check_redirect(const char *interface, const char *subject, struct findings *findings);
/* The same for a veth. returned: packets that came in by it go back by it as well. */
void check_veth(const char *interface, bool returned, const char *subject, struct findings *findings);

#endif
