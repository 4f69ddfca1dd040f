/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "server_private.h"

enum {
	HEADERS_MAX = 32 << 10,
	REFUSED_SHARE = 8,  /* one more connection for that many places may wait for its refusal */
	TOLD_EVERY = 60000, /* ms between lines of the log on refused connections */
};

static void server_dismiss(struct server *server, struct client *client)
{
	if (client && !client_holder(client))
		server->refused--;
	client_close(client);
}

static void *log_path(void *context, const char *path, struct MHD_Connection *connection)
{
	(void)context;
	(void)path;
	client_begins(client_of(connection));
	return NULL;
}

/* A connection that the server takes has its client already: server_admit(). */
static void connection_changed(void *context, struct MHD_Connection *connection, void **socket_context,
			       enum MHD_ConnectionNotificationCode code)
{
	struct server *server = context;
	struct client *client = *socket_context;

	(void)connection;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*socket_context = server->arriving;
		server->arriving = NULL;
		return;
	}
	client_refuse_half(client);
	server_dismiss(server, client);
	*socket_context = NULL;
	acceptor_resume(server->acceptor);
}

/* Who gets in ---------------------------------------------------------------- */

static void log_turned_away(struct server *server, const struct refusal *refusal)
{
	int64_t now = clock_monotonic();

	if (server->told_at && now - server->told_at < TOLD_EVERY)
		return;
	server->told_at = now;
	log_refusal(LOG_LEVEL_WARNING, "a connection to the API is refused", refusal);
}

static void on_client_ended(void *context)
{
	server_run(context);
}

/*
 * A client for the connection: one that has a place, or one that gets the refusal for an answer as long as
 * there is room for these. An error: neither, *refusal says why.
 */
static int make_client(struct server *server, int fd, uid_t user, struct client **ret,
		       struct refusal *refusal)
{
	struct holder *holder = NULL;
	int error = place_take(server->places, user, &holder, refusal);

	if (!error) {
		*ret = client_open(server->loop, fd, holder, on_client_ended, server);
		if (*ret)
			return 0;
		place_give_back(holder);
		error = refuse(refusal, -ENOMEM, "there is no memory for another connection");
	}
	log_turned_away(server, refusal);
	if (server->refused >= server->refused_max)
		return error;
	*ret = client_open_refused(server->loop, fd, error, refusal, on_client_ended, server);
	if (!*ret)
		return error;
	server->refused++;
	return 0;
}

static void server_admit(struct server *server, int fd, uid_t user)
{
	const struct sockaddr address = {.sa_family = AF_UNIX};
	struct refusal refusal = {0};
	int error = make_client(server, fd, user, &server->arriving, &refusal);

	if (error) {
		client_turn_away(fd, error, refusal.what, refusal.right);
		close(fd);
		return;
	}
	if (MHD_add_connection(server->http, fd, &address, sizeof address) == MHD_YES)
		return;
	/* The library has closed the descriptor. */
	server_dismiss(server, server->arriving);
	server->arriving = NULL;
}

static void on_arrival(void *context, int fd, uid_t user)
{
	server_admit(context, fd, user);
	server_run(context);
}

void server_tick(struct server *server)
{
	server_run(server);
	clients_tick();
	acceptor_resume(server->acceptor);
}

/*
 * MHD_USE_TURBO leaves a connection open for writing until it is closed: those who left their request half
 * are told. The library does not listen: it forgets to, in the round in which it comes below its limit.
 */
static struct MHD_Daemon *http_start(struct server *server, unsigned int limit)
{
	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL,
		NULL, exchange_take, server, MHD_OPTION_CONNECTION_LIMIT, limit,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX, MHD_OPTION_NOTIFY_COMPLETED,
		exchange_end, server, MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server,
		MHD_OPTION_URI_LOG_CALLBACK, log_path, server, MHD_OPTION_END);
}

/* Half of the descriptors are the daemon's own. */
static int server_start(struct server *server, uv_loop_t *loop)
{
	unsigned long half = descriptors_raise() / 2;
	unsigned int total = half < PLACES_MAX ? half : PLACES_MAX;

	server->loop = loop;
	server->refused_max = total / REFUSED_SHARE;
	server->places = places_new(total);
	server->http = http_start(server, total + server->refused_max);
	return server->places && server->http ? server_watch(server, loop) : -ENOMEM;
}

int server_open(uv_loop_t *loop, struct instance *instance, int fd, struct server **ret,
		struct refusal *refusal)
{
	struct server *server = calloc(1, sizeof *server);
	int error = -ENOMEM;

	if (server) {
		server->instance = instance;
		error = server_start(server, loop);
	}
	if (error)
		close(fd);
	else
		error = acceptor_open(loop, fd, on_arrival, server, &server->acceptor);
	if (error) {
		server_close(server);
		return refuse(refusal, error, "the API's server does not start: %s", strerror(-error));
	}
	*ret = server;
	return 0;
}

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

/* Handles are freed by the loop, in its next turn. */
static void end_handle(void *handle)
{
	if (handle && uv_handle_get_loop(handle))
		uv_close(handle, free_handle);
	else
		free(handle);
}

void server_close(struct server *server)
{
	if (!server)
		return;
	end_handle(server->ready);
	end_handle(server->timer);
	if (server->http)
		MHD_stop_daemon(server->http);
	acceptor_close(server->acceptor);
	places_free(server->places);
	free(server);
}
