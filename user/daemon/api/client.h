/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients: the connections to the socket, and how long each has kept the daemon waiting. One that does not
 * finish its request, does not read its answer or asks nothing more gets an error and is cut off. No other
 * client waits for it. Time is counted in turns of the daemon, one a second, so that a daemon that was
 * stopped cuts off nobody for that.
 */
#pragma once

#include <stdbool.h>
#include <uv.h>

#include "places.h"

enum {
	REQUEST_SECONDS = 10, /* from a connection's or request's first byte to its last */
	REFUSED_SECONDS = 2,  /* the same, where the answer is a refusal whatever the request is */
	ANSWER_SECONDS = 60,  /* for reading the answer */
	IDLE_SECONDS = 60,    /* from an answer to the next request */
};

struct MHD_Connection;
struct client;

/* Called from the loop when a client has ended its side of the connection. It may close the client. */
typedef void (*client_ended)(void *context);

/* Takes over holder's place. NULL: no memory, and the place is still the caller's. */
struct client *client_open(uv_loop_t *loop, int fd, struct holder *holder, client_ended ended, void *context);
/* One that gets *refusal, which it copies, for an answer to whatever it asks. It has no place. */
struct client *client_open_refused(uv_loop_t *loop, int fd, int error, const struct refusal *refusal,
				   client_ended ended, void *context);
/* Gives its place back. Freed by the loop, in its next turn. */
void client_close(struct client *client);

/* The client of a connection of the HTTP library; NULL: there was no memory for one. */
struct client *client_of(struct MHD_Connection *connection);
/* Why it is refused, and the error; NULL: it is not. */
const struct refusal *client_refusal(const struct client *client, int *ret_error);
/* Who it is. NULL: one that is refused. */
struct holder *client_holder(const struct client *client);

/*
 * A request's line was read; the request is whole, and what takes long of it is being computed; its answer
 * was given to the server; the answer is sent. Nobody is cut off for what the daemon computes: the change may
 * be in force soon, and only its own answer can say so.
 */
void client_begins(struct client *client);
void client_computes(struct client *client);
void client_answered(struct client *client);
void client_done(struct client *client);

/* The HTTP status and kind of each error: docs/api.md. */
struct http_error {
	int error; /* negative errno */
	unsigned int status;
	const char *kind; /* for programs; a refusal may have a kind of its own */
};

/* Never NULL: what is not in the table is 503, unavailable. */
const struct http_error *http_error_of(int error);

/* Sends a bare answer past the server and ends the connection: for those a response cannot be queued for.
 * error: http_error_of(). */
void client_refuse(struct client *client, int error, const char *what, const char *right);
/* The same for a connection that has not become a client. The caller closes it. */
void client_turn_away(int fd, int error, const char *what, const char *right);
/* The connection ends: a client that has left its request half gets an error. */
void client_refuse_half(struct client *client);

/*
 * Ends the connections whose clients have ended their side: those that left a request half get an error. Only
 * when the server has read and parsed all that arrived.
 */
void clients_settle(void);
/* Once a second, when the server has read what arrived: cuts off those who took too long. */
void clients_tick(void);
