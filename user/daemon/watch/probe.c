/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/types.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	MISSES = 2,   /* seconds without an answer after which a host is silent */
	ANY_PORT = 1, /* asked where no TCP service leads to the pool: refusing is an answer too */
};

static void hang_up(struct host *host)
{
	if (host->fd >= 0)
		close(host->fd);
	host->fd = -1;
}

void probe_close(struct probe *probe)
{
	for (size_t i = 0; i < probe->count; i++)
		hang_up(&probe->hosts[i]);
}

static struct host *find_host(const struct probe *probe, const struct address *address)
{
	for (size_t i = 0; i < probe->count; i++)
		if (address_equal(&probe->hosts[i].address, address))
			return (struct host *)&probe->hosts[i];
	return NULL;
}

bool probe_has(const struct probe *probe, const struct address *address)
{
	const struct host *host = find_host(probe, address);

	return host && host->answers;
}

/* Who is asked ------------------------------------------------------------------------ */

static uint16_t pool_port(const struct model *model, const struct pool *pool)
{
	for (size_t i = 0; i < model->service_count; i++) {
		const struct service *service = &model->services[i];

		if (service->proto == IPPROTO_TCP && service->port_low && !strcmp(service->pool, pool->name))
			return service->port_low;
	}
	return ANY_PORT;
}

static void want(struct probe *probe, const struct address *address, uint16_t port)
{
	struct host *host = find_host(probe, address);

	if (!host && probe->count < PROBE_HOSTS) {
		host = &probe->hosts[probe->count++];
		*host = (struct host){.address = *address, .fd = -1};
	}
	if (!host)
		return;
	host->port = port;
	host->wanted = true;
}

struct search {
	struct probe *probe;
	const struct model *model;
};

static int want_down(const struct fact *fact, void *context)
{
	const struct search *search = context;
	const struct pool *pool = model_pool(search->model, fact->pool);

	if (pool && fact->state == HEALTH_DOWN)
		want(search->probe, &fact->address, pool_port(search->model, pool));
	return 0;
}

static void follow(struct probe *probe, const struct model *model, const struct facts *facts)
{
	struct search search = {probe, model};
	size_t kept = 0;

	for (size_t i = 0; i < probe->count; i++)
		probe->hosts[i].wanted = false;
	facts_each(facts, want_down, &search);
	for (size_t i = 0; i < probe->count; i++) {
		if (probe->hosts[i].wanted)
			probe->hosts[kept++] = probe->hosts[i];
		else
			hang_up(&probe->hosts[i]);
	}
	probe->count = kept;
}

/* Asking ------------------------------------------------------------------------------- */

/* What became of a connection: 0 it was accepted, else an errno; EINPROGRESS: nothing yet. */
static int outcome(int fd)
{
	struct pollfd connection = {.fd = fd, .events = POLLOUT};
	socklen_t length = sizeof(int);
	int error = EINPROGRESS;

	if (poll(&connection, 1, 0) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length))
		error = errno;
	return error;
}

static void note_outcome(struct host *host, int error)
{
	if (error == 0 || error == ECONNREFUSED) {
		host->answers = true;
		host->missed = 0;
	} else if (++host->missed >= MISSES) {
		host->answers = false;
	}
}

static socklen_t fill_socket_address(const struct host *host, struct sockaddr_storage *ret)
{
	struct sockaddr_in *four = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)ret;
	const __be16 port = htons(host->port);

	memset(ret, 0, sizeof *ret);
	if (host->address.family == 4) {
		four->sin_family = AF_INET;
		memcpy(&four->sin_port, &port, sizeof port);
		memcpy(&four->sin_addr, host->address.bytes, sizeof four->sin_addr);
		return sizeof *four;
	}
	six->sin6_family = AF_INET6;
	memcpy(&six->sin6_port, &port, sizeof port);
	memcpy(&six->sin6_addr, host->address.bytes, sizeof six->sin6_addr);
	return sizeof *six;
}

static void probe_host(struct host *host)
{
	const struct linger at_once = {.l_onoff = 1};
	struct sockaddr_storage to;
	socklen_t length = fill_socket_address(host, &to);

	host->fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (host->fd < 0)
		return;
	setsockopt(host->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	if (!connect(host->fd, (struct sockaddr *)&to, length))
		note_outcome(host, 0);
	else if (errno == EINPROGRESS)
		return;
	else
		note_outcome(host, errno);
	hang_up(host);
}

bool probe_tick(struct probe *probe, const struct model *model, const struct facts *facts)
{
	bool changed = false;

	follow(probe, model, facts);
	for (size_t i = 0; i < probe->count; i++) {
		struct host *host = &probe->hosts[i];
		bool before = host->answers;

		if (host->fd >= 0) {
			note_outcome(host, outcome(host->fd));
			hang_up(host);
		}
		probe_host(host);
		changed = changed || host->answers != before;
	}
	return changed;
}
