// SPDX-License-Identifier: Apache-2.0
/*
 * flock-server NAME ENDPOINT... [--lie N] [--seconds S]: answers numbered messages over TCP and UDP
 * (endpoint.h).
 *
 * Prints its statistics as one line of JSON when it is ready, on SIGUSR1, and when it ends (SIGTERM, SIGINT,
 * or after S seconds). A connection whose numbers do not count up by one is closed and counted. --lie N
 * answers the message N of every flow with another number, to prove that whoever asks also looks.
 */
#include "endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	MAX_ENDPOINTS = 32,
	MAX_EVENTS = 256,
	BACKLOG = 8192,
	BURST = 256, /* accepts or datagrams before the others get their turn */
	MAX_FILES = 1 << 18,
	DEFAULT_SECONDS = 3600,
};

/* What epoll's events point at. */
enum source_kind { SOURCE_LISTENER, SOURCE_UDP, SOURCE_CONNECTION, SOURCE_SIGNAL };
struct source {
	enum source_kind kind;
	int fd;
};

struct port {
	struct source listener, udp;
	struct endpoint endpoint;
	uint64_t live, accepted, finished, reset, out_of_sequence, messages, datagrams;
};

struct connection {
	struct source source;
	struct port *port;
	uint32_t number; /* of the last message */
	uint32_t held;   /* bytes of a line that has not ended yet */
	char line[LINE_SIZE];
};

static struct server {
	const char *name;
	struct port ports[MAX_ENDPOINTS];
	size_t port_count;
	unsigned long lie;
	uint64_t ends;
	int epoll;
} server;

static int watch(struct source *source)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};

	return epoll_ctl(server.epoll, EPOLL_CTL_ADD, source->fd, &event) ? -errno : 0;
}

static int port_bind(struct port *port, int type, struct source *source)
{
	const int on = 1;
	int fd = socket(port->endpoint.address.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&port->endpoint.address, port->endpoint.length) ||
	    (type == SOCK_STREAM && listen(fd, BACKLOG))) {
		int err = -errno;

		close(fd);
		return err;
	}
	source->fd = fd;
	return watch(source);
}

static int port_open(struct port *port, const char *text)
{
	int err = endpoint_read(text, true, &port->endpoint);

	port->listener.kind = SOURCE_LISTENER;
	port->udp.kind = SOURCE_UDP;
	if (!err)
		err = port_bind(port, SOCK_STREAM, &port->listener);
	if (!err)
		err = port_bind(port, SOCK_DGRAM, &port->udp);
	return err;
}

static void connection_close(struct connection *connection)
{
	connection->port->live--;
	close(connection->source.fd);
	free(connection);
}

static void port_accept(struct port *port)
{
	const int on = 1;

	for (int i = 0; i < BURST; i++) {
		struct connection *connection;
		int fd = accept4(port->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return;
		connection = calloc(1, sizeof(*connection));
		if (!connection) {
			close(fd);
			return;
		}
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		connection->source = (struct source){SOURCE_CONNECTION, fd};
		connection->port = port;
		port->accepted++;
		port->live++;
		if (watch(&connection->source))
			connection_close(connection);
	}
}

/* Appends the answer to message number. */
static size_t answer_write(unsigned long number, char *out, size_t room)
{
	return snprintf(out, room, "%lu %s\n", number == server.lie ? number + 1 : number, server.name);
}

/* Reads `N` and the line's end. 0 is not a number. */
static unsigned long number_read(const char *line)
{
	char *end;
	unsigned long number = strtoul(line, &end, 10);

	return *end == '\n' ? number : 0;
}

/* Answers every whole line of text and keeps the rest. false: the connection is not as it should be. */
static bool connection_answer(struct connection *connection, const char *text, size_t length)
{
	char out[LINE_SIZE * 32];
	size_t written = 0;

	for (size_t i = 0; i < length; i++) {
		if (connection->held == LINE_SIZE - 1 || written > sizeof(out) - LINE_SIZE)
			return false;
		connection->line[connection->held++] = text[i];
		if (text[i] != '\n')
			continue;
		connection->line[connection->held] = 0;
		connection->held = 0;
		if (number_read(connection->line) != connection->number + 1UL) {
			connection->port->out_of_sequence++;
			return false;
		}
		connection->number++;
		connection->port->messages++;
		written += answer_write(connection->number, out + written, sizeof(out) - written);
	}
	return !written || send(connection->source.fd, out, written, MSG_NOSIGNAL) == (ssize_t)written;
}

static void connection_read(struct connection *connection)
{
	char text[LINE_SIZE * 8];
	ssize_t length = recv(connection->source.fd, text, sizeof(text), 0);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length < 0)
		connection->port->reset++;
	else if (length == 0)
		connection->port->finished++;
	if (length <= 0 || !connection_answer(connection, text, length))
		connection_close(connection);
}

static void port_answer_datagrams(struct port *port)
{
	for (int i = 0; i < BURST; i++) {
		struct sockaddr_storage from;
		socklen_t from_length = sizeof(from);
		char text[LINE_SIZE], out[LINE_SIZE * 2];
		unsigned long number;
		ssize_t length = recvfrom(port->udp.fd, text, sizeof(text) - 1, 0, (struct sockaddr *)&from,
					  &from_length);

		if (length < 0)
			return;
		text[length] = 0;
		number = number_read(text);
		if (!number)
			continue;
		port->datagrams++;
		sendto(port->udp.fd, out, answer_write(number, out, sizeof(out)), MSG_NOSIGNAL,
		       (struct sockaddr *)&from, from_length);
	}
}

static void statistics_print(void)
{
	printf("{\"name\": \"%s\", \"ports\": [", server.name);
	for (struct port *port = server.ports; port < server.ports + server.port_count; port++) {
		char text[ENDPOINT_TEXT_SIZE];

		endpoint_write(&port->endpoint, endpoint_port(&port->endpoint), text);
		printf("%s{\"port\": \"%s\", \"live\": %lu, \"accepted\": %lu, \"finished\": %lu, \"reset\": "
		       "%lu, "
		       "\"out_of_sequence\": %lu, \"messages\": %lu, \"datagrams\": %lu}",
		       port == server.ports ? "" : ", ", text, port->live, port->accepted, port->finished,
		       port->reset, port->out_of_sequence, port->messages, port->datagrams);
	}
	printf("]}\n");
	fflush(stdout);
}

/* false: it is time to end. */
static bool signal_read(struct source *source)
{
	struct signalfd_siginfo info;

	if (read(source->fd, &info, sizeof(info)) != sizeof(info))
		return true;
	if (info.ssi_signo != SIGUSR1)
		return false;
	statistics_print();
	return true;
}

/* source is the first member of a connection, and a named one of a port. */
static bool source_dispatch(struct source *source)
{
	switch (source->kind) {
	case SOURCE_LISTENER:
		port_accept((struct port *)((char *)source - offsetof(struct port, listener)));
		return true;
	case SOURCE_UDP:
		port_answer_datagrams((struct port *)((char *)source - offsetof(struct port, udp)));
		return true;
	case SOURCE_CONNECTION:
		connection_read((struct connection *)source);
		return true;
	case SOURCE_SIGNAL:
		return signal_read(source);
	}
	return true;
}

static void serve(void)
{
	struct epoll_event events[MAX_EVENTS];

	while (monotonic_ms() < server.ends) {
		uint64_t left = server.ends - monotonic_ms();
		int count = epoll_wait(server.epoll, events, MAX_EVENTS, left < 1000 ? (int)left : 1000);

		for (int i = 0; i < count; i++)
			if (!source_dispatch(events[i].data.ptr))
				return;
	}
}

static int signals_watch(struct source *source)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	*source = (struct source){SOURCE_SIGNAL, signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC)};
	return source->fd < 0 ? -errno : watch(source);
}

static int options_read(int argc, char **argv)
{
	static const struct option options[] = {
		{"lie", required_argument, NULL, 'l'}, {"seconds", required_argument, NULL, 's'}, {0}};
	int option;

	server.ends = monotonic_ms() + DEFAULT_SECONDS * 1000ULL;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'l')
			server.lie = strtoul(optarg, NULL, 10);
		else if (option == 's')
			server.ends = monotonic_ms() + strtoul(optarg, NULL, 10) * 1000;
		else
			return -EINVAL;
	}
	if (argc - optind < 2 || argc - optind > MAX_ENDPOINTS + 1 || !server_name_valid(argv[optind]))
		return -EINVAL;
	server.name = argv[optind++];
	return 0;
}

int main(int argc, char **argv)
{
	static struct source signals;

	if (options_read(argc, argv)) {
		fprintf(stderr, "usage: flock-server NAME ADDRESS:PORT... [--lie N] [--seconds S]\n");
		return 2;
	}
	files_raise(MAX_FILES);
	server.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server.epoll < 0 || signals_watch(&signals)) {
		perror("flock-server");
		return 1;
	}
	for (; optind < argc; optind++) {
		int err = port_open(&server.ports[server.port_count++], argv[optind]);

		if (err) {
			fprintf(stderr, "flock-server: %s: %s\n", argv[optind], strerror(-err));
			return 1;
		}
	}
	statistics_print();
	serve();
	statistics_print();
	return 0;
}
