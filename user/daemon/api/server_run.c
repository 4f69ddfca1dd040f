/* SPDX-License-Identifier: Apache-2.0 */
/* How the HTTP library has its turns in the event loop. */
#include <errno.h>
#include <stdlib.h>

#include "server_private.h"

enum { ROUNDS = 16 }; /* of the library, in one turn of the loop */

static void on_timer(uv_timer_t *timer)
{
	server_run(timer->data);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	server_run(poll->data);
}

/*
 * The library reads a piece of each connection a round, and closes in one round what it admits to in the
 * next. When it has nothing more to do, what has not come will not come by itself.
 */
void server_run(struct server *server)
{
	MHD_UNSIGNED_LONG_LONG timeout;
	bool busy = true;

	for (int round = 0; busy && round < ROUNDS; round++) {
		MHD_run(server->http);
		busy = MHD_get_timeout(server->http, &timeout) == MHD_YES && !timeout;
	}
	if (busy) /* the rest of the loop has its turn first */
		uv_timer_start(server->timer, on_timer, 0, 0);
	else
		clients_settle();
}

int server_watch(struct server *server, uv_loop_t *loop)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->http, MHD_DAEMON_INFO_EPOLL_FD);

	server->ready = calloc(1, sizeof *server->ready);
	server->timer = calloc(1, sizeof *server->timer);
	if (!info || !server->ready || !server->timer)
		return -ENOMEM;
	uv_timer_init(loop, server->timer);
	server->timer->data = server;
	uv_poll_init(loop, server->ready, info->epoll_fd);
	server->ready->data = server;
	uv_poll_start(server->ready, UV_READABLE, on_ready);
	return 0;
}
