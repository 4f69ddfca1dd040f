/* SPDX-License-Identifier: Apache-2.0 */
/* Other network namespaces. */
#pragma once

#include <stdint.h>

/*
 * Moves the calling thread to a network namespace (a name below /run/netns, or a path) until netns_leave() is
 * called with what it returned: a descriptor, or a negative errno. name NULL: stays where it is.
 */
int netns_enter_named(const char *name);
void netns_leave(int before);
/* The number by which the namespace is known in the caller's own, given if it has none yet (netns_ids(7)). */
int netns_number(const char *name, int32_t *ret);
