/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "clock.h"

enum stage { STAGE_NEW, STAGE_REQUEST, STAGE_COMPUTED, STAGE_ANSWER, STAGE_IDLE };

struct client {
	struct client *next, **at;
	int fd;
	enum stage stage;
	int64_t since; /* monotonic milliseconds when the stage began */
};

static struct client *clients;

static void enter(struct client *client, enum stage stage)
{
	client->stage = stage;
	client->since = clock_monotonic();
}

struct client *client_open(int fd)
{
	struct client *client = calloc(1, sizeof *client);

	if (!client)
		return NULL;
	client->fd = fd;
	enter(client, STAGE_NEW);
	client->next = clients;
	client->at = &clients;
	if (clients)
		clients->at = &client->next;
	clients = client;
	return client;
}

void client_close(struct client *client)
{
	if (!client)
		return;
	*client->at = client->next;
	if (client->next)
		client->next->at = client->at;
	free(client);
}

void client_begins(struct client *client)
{
	/* What the first request took to arrive counts from the connection's beginning. */
	if (client && client->stage != STAGE_NEW)
		enter(client, STAGE_REQUEST);
	else if (client)
		client->stage = STAGE_REQUEST;
}

void client_computes(struct client *client)
{
	if (client)
		enter(client, STAGE_COMPUTED);
}

void client_answered(struct client *client)
{
	if (client)
		enter(client, STAGE_ANSWER);
}

void client_done(struct client *client)
{
	if (client && client->stage == STAGE_ANSWER)
		enter(client, STAGE_IDLE);
}

bool client_is_waiting(const struct client *client)
{
	return client && (client->stage == STAGE_NEW || client->stage == STAGE_REQUEST);
}

void client_refuse(struct client *client, const char *status, const char *what, const char *right)
{
	char body[512], text[1024];
	int length;

	if (!client)
		return;
	length = snprintf(body, sizeof body,
			  "{\"error\": {\"what\": \"%s\", \"where\": \"\", \"right\": \"%s\"}}\n", what,
			  right);
	length = snprintf(text, sizeof text,
			  "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
			  "Connection: close\r\n\r\n%s",
			  status, length, body);
	send(client->fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(client->fd, SHUT_RDWR);
	enter(client, STAGE_IDLE);
}

static void check(struct client *client, int64_t now)
{
	int64_t age = (now - client->since) / 1000;

	if (client_is_waiting(client) && age >= REQUEST_SECONDS)
		client_refuse(client, "408 Request Timeout", "the request did not arrive in time",
			      "a whole request within 10 seconds");
	else if (client->stage == STAGE_ANSWER && age >= ANSWER_SECONDS)
		shutdown(client->fd, SHUT_RDWR);
}

void clients_tick(int64_t now)
{
	struct client *next;

	for (struct client *client = clients; client; client = next) {
		next = client->next;
		check(client, now);
	}
}

int64_t client_user(const struct client *client, char *name, unsigned int room)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	struct passwd *user;

	if (!client || getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &peer, &length))
		return -1;
	user = getpwuid(peer.uid);
	if (user)
		snprintf(name, room, "%s", user->pw_name);
	else
		snprintf(name, room, "user %u", peer.uid);
	return peer.uid;
}
