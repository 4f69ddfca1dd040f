/* SPDX-License-Identifier: Apache-2.0 */
/* links: user/daemon/api/server.c user/daemon/api/server_run.c user/daemon/api/exchange.c */
/* links: user/daemon/api/client.c user/daemon/api/places.c user/daemon/api/acceptor.c */
/* links: user/daemon/api/routes.c user/daemon/handler/handler.c */
/* links: user/daemon/base/log.c */
/* links: -lmicrohttpd -luv */
/*
 * Any bytes on the API's socket, then the end: whatever they are, there is an answer in HTTP with JSON where
 * the server had a say, nobody is waited for, and the next client is served. The handlers here do what costs
 * nothing; the operations have a fuzzer of their own.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/handler/operate.h"
#include "daemon/change/waiting.h"
#include "daemon/api/server.h"
#include "daemon/handler/views.h"

enum { TURNS = 2000, ANSWER_ROOM = 1 << 20 };

/* Handlers ------------------------------------------------------------------------- */

static int answer(const struct request *request, json_t **ret, struct refusal *refusal)
{
	for (int i = 0; i < PATH_PARAMETERS; i++)
		if (request->parameters[i] && strchr(request->parameters[i], '/'))
			abort(); /* a parameter is one part of a path */
	if (request_query(request, "refuse"))
		return refuse(refusal, -EINVAL, "%.100s is refused", request_query(request, "refuse"));
	*ret = json_pack("{s:s*, s:O*}", "first", request->parameters[0], "body", request->body);
	return *ret ? 0 : refuse(refusal, -EINVAL, "no such text");
}

#define HANDLER(name)                                                                    \
	int name(struct instance *instance, const struct request *request, json_t **ret, \
		 struct refusal *refusal)                                                \
	{                                                                                \
		(void)instance;                                                          \
		return answer(request, ret, refusal);                                    \
	}
#define PLAIN_VIEW(name)                        \
	json_t *name(struct instance *instance) \
	{                                       \
		(void)instance;                 \
		return json_object();           \
	}
PLAIN_VIEW(view_version)
PLAIN_VIEW(view_status)
PLAIN_VIEW(view_interfaces)
PLAIN_VIEW(view_pools)
PLAIN_VIEW(view_services)
PLAIN_VIEW(view_counters)
PLAIN_VIEW(view_operations)
HANDLER(view_pool)
HANDLER(view_slots)
HANDLER(view_service)
HANDLER(view_backends)
HANDLER(view_backend)
HANDLER(view_why)
HANDLER(view_generations)
HANDLER(view_generation)
HANDLER(view_difference)
HANDLER(view_export)
HANDLER(view_events)
HANDLER(operate)
HANDLER(roll_back)
HANDLER(upgrade)

/* No handler here needs what a thread would have to compute, or meets a lock. */
bool waiting_add(struct waiting *waiting, int error, int64_t *until, void (*resume)(void *context),
		 void *context)
{
	(void)waiting;
	(void)until;
	(void)resume;
	(void)context;
	if (error == -EAGAIN || error == -ENOLCK)
		abort();
	return false;
}

/* The client ------------------------------------------------------------------------- */

static uv_loop_t loop;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_length;

static void start(void)
{
	static struct instance instance; /* nothing: no handler here looks at it */
	struct server *server;
	struct refusal refusal;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	/* No name of its own: the kernel finds one (unix(7), autobind), so that many fuzzers run side by
	 * side. */
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) || listen(fd, 64))
		abort();
	address_length = sizeof address;
	if (getsockname(fd, (struct sockaddr *)&address, &address_length))
		abort();
	uv_loop_init(&loop);
	if (server_open(&loop, &instance, fd, &server, &refusal))
		abort();
}

/* Sends what there is room for, takes what is there; false: the server has ended the connection. */
static int turn(int fd, const uint8_t **data, size_t *size, char *text, size_t *length)
{
	ssize_t done;

	if (*size) {
		done = send(fd, *data, *size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (done > 0) {
			*data += done;
			*size -= done;
		} else if (errno != EAGAIN) {
			*size = 0;
		}
		if (!*size)
			shutdown(fd, SHUT_WR);
	}
	uv_run(&loop, UV_RUN_NOWAIT);
	done = recv(fd, text + *length, ANSWER_ROOM - *length, MSG_DONTWAIT);
	if (done > 0)
		*length += done;
	return done > 0 || (done < 0 && errno == EAGAIN);
}

static size_t talk(const uint8_t *data, size_t size, char *text)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), left = TURNS;
	size_t length = 0;

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, address_length))
		abort();
	if (!size)
		shutdown(fd, SHUT_WR);
	while (turn(fd, &data, &size, text, &length))
		if (!left--)
			abort(); /* it is waited for what will not come */
	close(fd);
	uv_run(&loop, UV_RUN_NOWAIT);
	return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char good[] = "GET /v1/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
	static char text[ANSWER_ROOM + 1];
	size_t length;

	if (!address_length)
		start();
	length = talk(data, size, text);
	text[length] = 0;
	if (length < 12 || strncmp(text, "HTTP/1.", 7))
		abort();
	if (strstr(text, "\"what\":\"\"") || strstr(text, "\"what\": \"\""))
		abort(); /* every refusal has a sentence */
	length = talk((const uint8_t *)good, strlen(good), text);
	if (length < 12 || strncmp(text, "HTTP/1.1 200", 12))
		abort();
	return 0;
}
