/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The acceptor: takes the connections that arrive at the listening socket. It keeps descriptors in reserve,
 * so that root gets an answer, and others a refusal, when the process has none left.
 */
#ifndef HOLDFAST_ACCEPTOR_H
#define HOLDFAST_ACCEPTOR_H

#include <sys/types.h>
#include <uv.h>

struct acceptor;

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

#endif
