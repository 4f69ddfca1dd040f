/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients: the connections to the socket, and how long each has kept the daemon waiting. One that does not
 * finish its request, or does not read its answer, is told so and cut off; it holds up nobody meanwhile.
 */
#ifndef HOLDFAST_CLIENT_H
#define HOLDFAST_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CLIENTS_MAX = 512,
	REQUEST_SECONDS = 10, /* from a connection's or request's first byte to its last */
	ANSWER_SECONDS = 60,  /* for reading the answer */
};

struct client;

struct client *client_open(int fd);
void client_close(struct client *client);
/*
 * A request's line was read; the request is whole, and what takes long of it is being computed; its answer
 * was given to the server; the answer is sent. Nobody is cut off for what the daemon computes: the change may
 * be in force soon, and only its own answer can say so.
 */
void client_begins(struct client *client);
void client_computes(struct client *client);
void client_answered(struct client *client);
void client_done(struct client *client);
/* Whether the client waits for an answer it will not get: it left its request half, and the connection ends.
 */
bool client_is_waiting(const struct client *client);
/* Sends a bare answer past the server and ends the connection: for those a response cannot be queued for. */
void client_refuse(struct client *client, const char *status, const char *what, const char *right);
/* Cuts off those who took too long. now: monotonic milliseconds. */
void clients_tick(int64_t now);

/* The peer's user: its number, and its name in text. -1: not known. */
int64_t client_user(const struct client *client, char *name, unsigned int room);

#endif
