/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The acceptor: opens the listening socket, and takes the connections that arrive there. It keeps descriptors
 * in reserve, so that root gets an answer, and others a refusal, when the process has none left.
 */
#pragma once

#include <sys/types.h>
#include <uv.h>

#include "core/value/refusal.h"

struct acceptor;

/* Opens the socket that clients connect to: mode 0660, of group holdfast where there is one. Replaces a
 * socket that a daemon before left behind: whoever holds the instance's lock may. */
int listen_open(const char *path, int *ret_fd, struct refusal *refusal);

/* Owns fd, a connection of user that does not block. */
typedef void (*acceptor_admit)(void *context, int fd, uid_t user);

/* Owns fd, the listening socket, also when it fails. 0 or a negative errno. */
int acceptor_open(uv_loop_t *loop, int fd, acceptor_admit admit, void *context, struct acceptor **ret);
/* Freed by the loop, in its next turn. */
void acceptor_close(struct acceptor *acceptor);
/* A descriptor may be free again. Once a second, and when a connection ends. */
void acceptor_resume(struct acceptor *acceptor);

/* Raises the soft limit of descriptors to the hard one. Returns the limit. */
unsigned long descriptors_raise(void);
