/* SPDX-License-Identifier: Apache-2.0 */
/* The socket clients connect to: mode 0660, of group holdfast where there is one. */
#ifndef HOLDFAST_LISTEN_H
#define HOLDFAST_LISTEN_H

#include "core/value/refusal.h"

/* Replaces a socket that a daemon before left behind: whoever holds the instance's lock may. */
int listen_open(const char *path, int *ret_fd, struct refusal *refusal);

#endif
