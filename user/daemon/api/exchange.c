/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange: a request as it comes in, and its answer. */
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "daemon/change/waiting.h"
#include "routes.h"
#include "server_private.h"

enum {
	BODY_MAX = 16 << 20,       /* the largest configuration */
	BODIES_MAX = 3 * BODY_MAX, /* of all requests under way */
};

struct exchange {
	struct server *server;
	struct request request;
	const struct route *route;
	struct client *client;
	char *body;
	size_t length, room;
	int error;             /* why the body was refused, or 0 */
	int64_t patient_until; /* a lock of another process is in the way: see waiting.h */
	struct refusal refusal;
};

/* Answers ------------------------------------------------------------------ */

static json_t *error_body(int error, const struct refusal *refusal)
{
	const char *what = refusal->what[0] ? refusal->what : strerror(-error);
	const char *kind = refusal->kind[0] ? refusal->kind : http_error_of(error)->kind;

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
	if (!client_holder(exchange->client))
		MHD_add_response_header(response, "Connection", "close");
	queued = MHD_queue_response(exchange->request.connection, status, response);
	MHD_destroy_response(response);
	client_answered(exchange->client);
	return queued;
}

static enum MHD_Result send_error(struct exchange *exchange, int error, const struct refusal *refusal)
{
	if (send_json(exchange, http_error_of(error)->status, error_body(error, refusal)))
		return MHD_YES;
	client_refuse(exchange->client, -ENOMEM, "there is no memory: nothing was changed", "try again");
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
	struct holder *user = client_holder(exchange->client);

	if (exchange->route->access == ACCESS_READ)
		return 0;
	snprintf(exchange->request.author, sizeof exchange->request.author, "%s",
		 user ? holder_name(user) : "an unknown user");
	if (user && !holder_user(user))
		return 0;
	refuse(refusal, -EPERM, "%s may read, but not change anything", exchange->request.author);
	refusal_right(refusal, "run it as root");
	return -EPERM;
}

/* The request's headers are here: what can be refused without its body is refused now. */
static enum MHD_Result exchange_begin(struct exchange *exchange, const char *method, const char *path)
{
	struct refusal *refusal = &exchange->refusal;
	const struct refusal *turned_away;
	bool other_method;
	int error = 0;

	turned_away = client_refusal(exchange->client, &error);
	if (turned_away)
		return send_error(exchange, error, turned_away);
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

static int body_make_room(struct server *server, struct exchange *exchange, size_t needed)
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
static void body_collect(struct server *server, struct exchange *exchange, const char *data, size_t size)
{
	if (exchange->error)
		return;
	if (exchange->length + size > BODY_MAX)
		refuse_body(exchange, -EMSGSIZE);
	else if (!body_make_room(server, exchange, exchange->length + size)) {
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
	refuse(refusal, -EINVAL, "the body is not JSON: %.150s", error.text);
	refusal_where(refusal, "line %d, column %d", error.line, error.column);
	return -EINVAL;
}

/* What it waited for is there: tries the request again, as if it had just arrived in full. */
static void resume(void *context)
{
	struct exchange *exchange = context;
	struct server *server = exchange->server;

	MHD_resume_connection(exchange->request.connection);
	server_run(server);
}

static enum MHD_Result exchange_answer(struct server *server, struct exchange *exchange)
{
	struct refusal *refusal = &exchange->refusal;
	json_t *answer = NULL;
	int error = exchange->error;

	if (!error)
		error = parse_body(exchange, refusal);
	if (!error)
		error = route_answer(exchange->route, server->instance, &exchange->request, &answer, refusal);
	if (waiting_add(server->instance->waiting, error, &exchange->patient_until, resume, exchange)) {
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
	client_refuse(exchange->client, -ENOMSG,
		      "the daemon did what was asked, but has no memory for the answer",
		      "holdfast status shows what is in force");
	return MHD_NO;
}

enum MHD_Result exchange_take(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *data, size_t *size,
			      void **state)
{
	struct server *server = context;
	struct exchange *exchange = *state;

	(void)version;
	if (!exchange) {
		exchange = *state = calloc(1, sizeof *exchange);
		if (!exchange) {
			client_refuse(client_of(connection), -ENOMEM,
				      "there is no memory: nothing was changed", "try again");
			return MHD_NO;
		}
		exchange->server = server;
		exchange->request.connection = connection;
		exchange->client = client_of(connection);
		return exchange_begin(exchange, method, path);
	}
	if (*size) {
		body_collect(server, exchange, data, *size);
		*size = 0;
		return MHD_YES;
	}
	return exchange_answer(server, exchange);
}

void exchange_end(void *context, struct MHD_Connection *connection, void **state,
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
