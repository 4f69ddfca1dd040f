/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an interface carries packets, and what to say where it does not. */
#pragma once

#include <stdint.h>

struct link;

/* LINK_CARRIES: it is up, and so is the other end. LINK_GONE: there is no such interface any more. */
enum link_state { LINK_CARRIES, LINK_DOWN, LINK_WITHOUT_CARRIER, LINK_GONE };

/* link NULL: gone. */
enum link_state link_state(const struct link *link);
/* Asks the kernel, of this network namespace. What cannot be asked for counts as gone. */
enum link_state carrier_ask(uint32_t ifindex);

enum { CARRIER_TEXT = 128 };
/* Why no packet comes in by the interface, and what to do; NULL: it carries, or is gone. */
const char *carrier_problem(enum link_state state, const char *interface, char text[CARRIER_TEXT]);
