/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "preparation.h"
#include "request.h"

enum {
	BODY_MAX = 16 << 20,       /* the largest configuration */
	BODIES_MAX = 3 * BODY_MAX, /* of all requests under way */
	HEADERS_MAX = 32 << 10,
	IDLE_SECONDS = 60,
};

struct server {
	struct instance *instance;
	struct MHD_Daemon *http;
	uv_poll_t *ready;
	uv_timer_t *timer;
	size_t bodies; /* bytes held */
};

struct exchange {
	struct server *server;
	struct request request;
	const struct route *route;
	struct client *client;
	char *body;
	size_t length, room;
	int error; /* why the body was refused, or 0 */
	struct refusal refusal;
};

const char *request_query(const struct request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* Answers ------------------------------------------------------------------ */

static unsigned int response_status(int error)
{
	switch (error) {
	case 0:
		return MHD_HTTP_OK;
	case -EINVAL:
	case -E2BIG:
		return MHD_HTTP_BAD_REQUEST;
	case -EPERM:
	case -EACCES:
		return MHD_HTTP_FORBIDDEN;
	case -ENOENT:
	case -ENODEV:
		return MHD_HTTP_NOT_FOUND;
	case -EEXIST:
	case -EBUSY:
	case -ESTALE:
		return MHD_HTTP_CONFLICT;
	case -EMSGSIZE:
		return MHD_HTTP_CONTENT_TOO_LARGE;
	case -EOPNOTSUPP:
		return MHD_HTTP_METHOD_NOT_ALLOWED;
	default:
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	}
}

/* What a program may go by, where the refusal itself says no more. */
static const char *error_kind(int error)
{
	switch (error) {
	case -EINVAL:
	case -E2BIG:
		return "invalid";
	case -EPERM:
	case -EACCES:
		return "denied";
	case -ENOENT:
	case -ENODEV:
		return "missing";
	case -EEXIST:
		return "exists";
	case -EBUSY:
		return "in-use";
	case -ESTALE:
		return "stale";
	case -EMSGSIZE:
		return "too-large";
	case -EOPNOTSUPP:
		return "method";
	default:
		return "unavailable";
	}
}

static json_t *error_body(int error, const struct refusal *refusal)
{
	const char *what = refusal->what[0] ? refusal->what : strerror(-error);
	const char *kind = refusal->kind[0] ? refusal->kind : error_kind(error);

	return json_pack("{s:{s:s, s:s, s:s, s:s}}", "error", "kind", kind, "what", what, "where",
			 refusal->where, "right", refusal->right);
}

static enum MHD_Result send_json(struct exchange *exchange, unsigned int status, json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	struct MHD_Response *response;
	enum MHD_Result queued;

	json_decref(json);
	if (!text)
		return MHD_NO;
	response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(text);
		return MHD_NO;
	}
	MHD_add_response_header(response, "Content-Type", "application/json");
	queued = MHD_queue_response(exchange->request.connection, status, response);
	MHD_destroy_response(response);
	client_answered(exchange->client);
	return queued;
}

static enum MHD_Result send_error(struct exchange *exchange, int error, const struct refusal *refusal)
{
	if (send_json(exchange, response_status(error), error_body(error, refusal)))
		return MHD_YES;
	client_refuse(exchange->client, "503 Service Unavailable", "there is no memory: nothing was changed",
		      "try again");
	return MHD_NO;
}

/* Requests ------------------------------------------------------------------ */

static int refuse_route(const char *method, const char *path, bool other_method, struct refusal *refusal)
{
	int error = other_method ? -EOPNOTSUPP : -ENOENT;

	refuse(refusal, error, other_method ? "%s is not for %.200s" : "there is no %s %.200s", method, path);
	refusal_right(refusal, "see docs/api.md");
	return error;
}

static int check_length(struct MHD_Connection *connection, struct refusal *refusal)
{
	const char *length =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	if (!length || strtoull(length, NULL, 10) <= BODY_MAX)
		return 0;
	refuse(refusal, -EMSGSIZE, "a body of %.20s bytes is too large", length);
	refusal_right(refusal, "%d bytes at most", BODY_MAX);
	return -EMSGSIZE;
}

static int check_access(struct exchange *exchange, struct refusal *refusal)
{
	int64_t user =
		client_user(exchange->client, exchange->request.author, sizeof exchange->request.author);

	if (exchange->route->access == ACCESS_READ || user == 0)
		return 0;
	refuse(refusal, -EPERM, "%s may look but not change", exchange->request.author);
	refusal_right(refusal, "run it as root");
	return -EPERM;
}

/* The request's headers are here: what can be refused without its body is refused now. */
static enum MHD_Result begin(struct exchange *exchange, const char *method, const char *path)
{
	struct refusal *refusal = &exchange->refusal;
	bool other_method;
	int error = 0;

	exchange->route = route_find(method, path, &exchange->request, &other_method);
	if (!exchange->route)
		error = refuse_route(method, path, other_method, refusal);
	if (!error)
		error = check_access(exchange, refusal);
	if (!error)
		error = check_length(exchange->request.connection, refusal);
	return error ? send_error(exchange, error, refusal) : MHD_YES;
}

static int refuse_body(struct exchange *exchange, int error)
{
	struct refusal *refusal = &exchange->refusal;

	exchange->length = 0;
	exchange->error =
		refuse(refusal, error, error == -EMSGSIZE ? "the body is too large" : "no room for the body");
	refusal_right(refusal,
		      error == -EMSGSIZE ? "%d bytes at most" : "%d bytes at most, and fewer at once",
		      BODY_MAX);
	return error;
}

static int make_room(struct server *server, struct exchange *exchange, size_t needed)
{
	size_t room = exchange->room;
	char *body;

	while (room < needed)
		room = room ? room * 2 : 4096;
	if (room == exchange->room)
		return 0;
	body = server->bodies + room - exchange->room > BODIES_MAX ? NULL : realloc(exchange->body, room);
	if (!body)
		return refuse_body(exchange, -ENOMEM);
	server->bodies += room - exchange->room;
	exchange->body = body;
	exchange->room = room;
	return 0;
}

/* A response cannot be queued in the middle of a body: the rest of one that was refused is read and dropped.
 */
static void collect(struct server *server, struct exchange *exchange, const char *data, size_t size)
{
	if (exchange->error)
		return;
	if (exchange->length + size > BODY_MAX)
		refuse_body(exchange, -EMSGSIZE);
	else if (!make_room(server, exchange, exchange->length + size)) {
		memcpy(exchange->body + exchange->length, data, size);
		exchange->length += size;
	}
}

static int parse_body(struct exchange *exchange, struct refusal *refusal)
{
	json_error_t error;

	if (!exchange->length || exchange->request.body)
		return 0;
	exchange->request.body = json_loadb(exchange->body, exchange->length, JSON_REJECT_DUPLICATES, &error);
	if (exchange->request.body)
		return 0;
	if (json_error_code(&error) == json_error_out_of_memory)
		return -ENOMEM;
	refuse(refusal, -EINVAL, "the body is no JSON: %.150s", error.text);
	refusal_where(refusal, "line %d, column %d", error.line, error.column);
	return -EINVAL;
}

static void server_run(struct server *server);

/* The placement is there: tries the request again, as if it had just arrived in full. */
static void resume(void *context)
{
	struct exchange *exchange = context;
	struct server *server = exchange->server;

	MHD_resume_connection(exchange->request.connection);
	server_run(server);
}

static enum MHD_Result finish(struct server *server, struct exchange *exchange)
{
	struct refusal *refusal = &exchange->refusal;
	json_t *answer = NULL;
	int error = exchange->error;

	if (!error)
		error = parse_body(exchange, refusal);
	if (!error)
		error = exchange->route->handler(server->instance, &exchange->request, &answer, refusal);
	if (error == -EAGAIN && !preparation_wait(server->instance->preparation, resume, exchange)) {
		*refusal = (struct refusal){0};
		client_computes(exchange->client);
		MHD_suspend_connection(exchange->request.connection);
		return MHD_YES;
	}
	if (error)
		return send_error(exchange, error, refusal);
	if (send_json(exchange, MHD_HTTP_OK, answer))
		return MHD_YES;
	/* A change is in force by now: no status may say that it was refused. */
	client_refuse(exchange->client, "500 Internal Server Error",
		      "the request is carried out, but there is no memory for the answer",
		      "holdfast status shows what is in force");
	return MHD_NO;
}

static struct client *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* Called once for the headers, again for each piece of the body, and once more at its end. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *data, size_t *size,
			      void **state)
{
	struct server *server = context;
	struct exchange *exchange = *state;

	(void)version;
	if (!exchange) {
		exchange = *state = calloc(1, sizeof *exchange);
		if (!exchange) {
			client_refuse(client_of(connection), "503 Service Unavailable",
				      "there is no memory: nothing was changed", "try again");
			return MHD_NO;
		}
		exchange->server = server;
		exchange->request.connection = connection;
		exchange->client = client_of(connection);
		return begin(exchange, method, path);
	}
	if (*size) {
		collect(server, exchange, data, *size);
		*size = 0;
		return MHD_YES;
	}
	return finish(server, exchange);
}

static void complete(void *context, struct MHD_Connection *connection, void **state,
		     enum MHD_RequestTerminationCode code)
{
	struct server *server = context;
	struct exchange *exchange = *state;

	if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		client_done(client_of(connection));
	if (!exchange)
		return;
	server->bodies -= exchange->room;
	json_decref(exchange->request.body);
	free(exchange->body);
	free(exchange);
	*state = NULL;
}

static void *log_path(void *context, const char *path, struct MHD_Connection *connection)
{
	(void)context;
	(void)path;
	client_begins(client_of(connection));
	return NULL;
}

static void connection_changed(void *context, struct MHD_Connection *connection, void **socket_context,
			       enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info;
	struct client *client = *socket_context;

	(void)context;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		*socket_context = info ? client_open(info->connect_fd) : NULL;
		return;
	}
	if (client_is_waiting(client))
		client_refuse(client, "400 Bad Request", "the connection ended before the request did",
			      "a whole request");
	client_close(client);
	*socket_context = NULL;
}

/* The event loop ------------------------------------------------------------- */

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

static void server_run(struct server *server)
{
	MHD_UNSIGNED_LONG_LONG timeout;

	MHD_run(server->http);
	if (MHD_get_timeout(server->http, &timeout) == MHD_YES)
		uv_timer_start(server->timer, on_timer, timeout, 0);
	else
		uv_timer_stop(server->timer);
}

static int watch(struct server *server, uv_loop_t *loop)
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
	server_run(server);
	return 0;
}

/* MHD_USE_TURBO leaves a connection open for writing until it is closed: those who left their request half
 * are told. */
static struct MHD_Daemon *start(struct server *server, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
				handle, server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				CLIENTS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX,
				MHD_OPTION_NOTIFY_COMPLETED, complete, server, MHD_OPTION_NOTIFY_CONNECTION,
				connection_changed, server, MHD_OPTION_URI_LOG_CALLBACK, log_path, server,
				MHD_OPTION_END);
}

int server_open(uv_loop_t *loop, struct instance *instance, int fd, struct server **ret,
		struct refusal *refusal)
{
	struct server *server = calloc(1, sizeof *server);
	int error;

	if (server)
		server->instance = instance;
	if (server)
		server->http = start(server, fd);
	if (!server || !server->http) {
		close(fd);
		free(server);
		return refuse(refusal, -ENOMEM, "the API's server does not start");
	}
	error = watch(server, loop);
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
	MHD_stop_daemon(server->http);
	free(server);
}
