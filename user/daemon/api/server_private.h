/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the server share: who gets in (server.c), the requests (exchange.c), the event loop
 * (server_run.c). */
#pragma once

#include <microhttpd.h>

#include "acceptor.h"
#include "client.h"
#include "server.h"

struct server {
	struct instance *instance;
	uv_loop_t *loop;
	struct MHD_Daemon *http;
	struct acceptor *acceptor;
	uv_poll_t *ready;
	uv_timer_t *timer;
	struct places *places;
	unsigned int refused, refused_max; /* connections that are answered with a refusal */
	int64_t told_at;                   /* when the log last named a refused one */
	struct client *arriving;           /* who the connection that is being added is */
	size_t bodies;                     /* bytes held */
};

/* Lets the library do what is to be done now. */
void server_run(struct server *server);
/* Calls server_run() whenever there is something to do. 0 or -ENOMEM. */
int server_watch(struct server *server, uv_loop_t *loop);

/* Called once for the headers, again for each piece of the body, and once more at its end. */
enum MHD_Result exchange_take(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *data, size_t *size,
			      void **state);
void exchange_end(void *context, struct MHD_Connection *connection, void **state,
		  enum MHD_RequestTerminationCode code);
