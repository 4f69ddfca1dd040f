/* SPDX-License-Identifier: Apache-2.0 */
/* The API's server: HTTP on a listening Unix socket, driven by the event loop. */
#pragma once

#include <uv.h>

#include "daemon/instance.h"

struct server;

/* Serves routes[] on fd, which it owns from now on. */
int server_open(uv_loop_t *loop, struct instance *instance, int fd, struct server **ret,
		struct refusal *refusal);
/* Once a second: cuts off clients that took too long. */
void server_tick(struct server *server);
void server_close(struct server *server);
