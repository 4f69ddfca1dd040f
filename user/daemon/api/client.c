/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include <errno.h>
#include <linux/sockios.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum stage { STAGE_NEW, STAGE_REQUEST, STAGE_COMPUTED, STAGE_ANSWER, STAGE_IDLE };

struct client {
	struct client *next, **at;
	int fd;
	enum stage stage;
	unsigned int since;    /* turn when the stage began */
	struct holder *holder; /* NULL: refused */
	struct refusal *refusal;
	int error;        /* what the refusal is for */
	uv_poll_t hangup; /* until the client has ended its side */
	bool ended;
	client_ended tell_ended;
	void *context;
};

static struct client *clients;
static unsigned int turns; /* of clients_tick() */
static unsigned int ended; /* clients to settle */

static void client_enter(struct client *client, enum stage stage)
{
	client->stage = stage;
	client->since = turns;
}

/*
 * libmicrohttpd waits for edges (EPOLLET) and takes a short read for an empty socket (recv_param_adapter() of
 * its connection.c). Where data and the end of the stream come as one event, it never learns of the end.
 */
static void on_disconnect(uv_poll_t *poll, int status, int events)
{
	struct client *client = poll->data;

	(void)status;
	(void)events;
	uv_poll_stop(poll);
	client->ended = true;
	ended++;
	client->tell_ended(client->context);
}

struct client *client_open(uv_loop_t *loop, int fd, struct holder *holder, client_ended tell_ended,
			   void *context)
{
	struct client *client = calloc(1, sizeof *client);

	if (!client || uv_poll_init(loop, &client->hangup, fd)) {
		free(client);
		return NULL;
	}
	client->fd = fd;
	client->holder = holder;
	client->tell_ended = tell_ended;
	client->context = context;
	client->hangup.data = client;
	uv_poll_start(&client->hangup, UV_DISCONNECT, on_disconnect);
	client_enter(client, STAGE_NEW);
	client->next = clients;
	client->at = &clients;
	if (clients)
		clients->at = &client->next;
	clients = client;
	return client;
}

struct client *client_open_refused(uv_loop_t *loop, int fd, int error, const struct refusal *refusal,
				   client_ended tell_ended, void *context)
{
	struct refusal *copy = malloc(sizeof *copy);
	struct client *client = copy ? client_open(loop, fd, NULL, tell_ended, context) : NULL;

	if (!client) {
		free(copy);
		return NULL;
	}
	*copy = *refusal;
	client->refusal = copy;
	client->error = error;
	return client;
}

static void free_client(uv_handle_t *handle)
{
	free(handle->data);
}

void client_close(struct client *client)
{
	if (!client)
		return;
	*client->at = client->next;
	if (client->next)
		client->next->at = client->at;
	ended -= client->ended;
	place_give_back(client->holder);
	free(client->refusal);
	/* The descriptor is closed before the loop turns. */
	uv_poll_stop(&client->hangup);
	uv_close((uv_handle_t *)&client->hangup, free_client);
}

const struct refusal *client_refusal(const struct client *client, int *ret_error)
{
	if (!client || !client->refusal)
		return NULL;
	*ret_error = client->error;
	return client->refusal;
}

struct client *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

struct holder *client_holder(const struct client *client)
{
	return client ? client->holder : NULL;
}

void client_begins(struct client *client)
{
	/* What the first request took to arrive counts from the connection's beginning. */
	if (client && client->stage != STAGE_NEW)
		client_enter(client, STAGE_REQUEST);
	else if (client)
		client->stage = STAGE_REQUEST;
}

void client_computes(struct client *client)
{
	if (client)
		client_enter(client, STAGE_COMPUTED);
}

void client_answered(struct client *client)
{
	if (client)
		client_enter(client, STAGE_ANSWER);
}

void client_done(struct client *client)
{
	if (client && client->stage == STAGE_ANSWER)
		client_enter(client, STAGE_IDLE);
}

static bool client_is_waiting(const struct client *client)
{
	return client && (client->stage == STAGE_NEW || client->stage == STAGE_REQUEST);
}

/* Bare answers -------------------------------------------------------------------- */

static const struct http_error errors[] = {
	{-EINVAL, MHD_HTTP_BAD_REQUEST, "invalid"},
	{-E2BIG, MHD_HTTP_BAD_REQUEST, "invalid"},
	{-EPERM, MHD_HTTP_FORBIDDEN, "denied"},
	{-EACCES, MHD_HTTP_FORBIDDEN, "denied"},
	{-ENOENT, MHD_HTTP_NOT_FOUND, "missing"},
	{-ENODEV, MHD_HTTP_NOT_FOUND, "missing"},
	{-EOPNOTSUPP, MHD_HTTP_METHOD_NOT_ALLOWED, "method"},
	{-ETIME, MHD_HTTP_REQUEST_TIMEOUT, "too-slow"},
	{-EEXIST, MHD_HTTP_CONFLICT, "exists"},
	{-EBUSY, MHD_HTTP_CONFLICT, "in-use"},
	{-ESTALE, MHD_HTTP_CONFLICT, "stale"},
	{-EMSGSIZE, MHD_HTTP_CONTENT_TOO_LARGE, "too-large"},
	{-EUSERS, MHD_HTTP_TOO_MANY_REQUESTS, "too-many"},
	{-ENOMSG, MHD_HTTP_INTERNAL_SERVER_ERROR, "unanswered"},
};

const struct http_error *http_error_of(int error)
{
	static const struct http_error other = {0, MHD_HTTP_SERVICE_UNAVAILABLE, "unavailable"};

	for (unsigned int i = 0; i < sizeof errors / sizeof *errors; i++) {
		if (errors[i].error == error)
			return &errors[i];
	}
	return &other;
}

void client_turn_away(int fd, int error, const char *what, const char *right)
{
	const struct http_error *told = http_error_of(error);
	char body[768], text[1024];
	int length;

	length = snprintf(
		body, sizeof body,
		"{\"error\": {\"kind\": \"%s\", \"what\": \"%s\", \"where\": \"\", \"right\": \"%s\"}}\n",
		told->kind, what, right);
	length = snprintf(text, sizeof text,
			  "HTTP/1.1 %u %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
			  "Connection: close\r\n\r\n%s",
			  told->status, MHD_get_reason_phrase_for(told->status), length, body);
	send(fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(fd, SHUT_RDWR);
}

void client_refuse(struct client *client, int error, const char *what, const char *right)
{
	if (!client)
		return;
	client_turn_away(client->fd, error, what, right);
	client_enter(client, STAGE_IDLE);
}

void client_refuse_half(struct client *client)
{
	if (client_is_waiting(client))
		client_refuse(client, -EINVAL, "the connection ended before the request did",
			      "a whole request");
}

static void settle(struct client *client)
{
	int unread = 0;

	if (client->ended && client_is_waiting(client) && !ioctl(client->fd, SIOCINQ, &unread) && !unread)
		client_refuse_half(client);
}

void clients_settle(void)
{
	for (struct client *client = ended ? clients : NULL; client; client = client->next)
		settle(client);
}

static void cut_late(struct client *client)
{
	unsigned int age = turns - client->since;

	if (client->refusal && client_is_waiting(client) && age > REFUSED_SECONDS)
		client_refuse(client, client->error, client->refusal->what, client->refusal->right);
	else if (client_is_waiting(client) && age > REQUEST_SECONDS)
		client_refuse(client, -ETIME, "the request did not arrive in time",
			      "a whole request within 10 seconds");
	else if ((client->stage == STAGE_ANSWER && age > ANSWER_SECONDS) ||
		 (client->stage == STAGE_IDLE && age > IDLE_SECONDS))
		shutdown(client->fd, SHUT_RDWR);
}

void clients_tick(void)
{
	turns++;
	for (struct client *client = clients; client; client = client->next)
		cut_late(client);
}
