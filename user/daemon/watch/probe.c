/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/types.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	HOSTS = 256,  /* asked at the same time; of more nobody is */
	MISSES = 2,   /* seconds without an answer after which a host is silent */
	ANY_PORT = 1, /* asked where no TCP service leads to the pool: refusing is an answer too */
};

struct host {
	struct address address;
	uint16_t port;
	int fd; /* of the connection under way, -1: none */
	unsigned int missed;
	bool answers, wanted;
};

struct answers {
	struct host hosts[HOSTS];
	size_t count;
};

int answers_open(struct answers **ret)
{
	struct answers *answers = calloc(1, sizeof *answers);

	if (!answers)
		return -ENOMEM;
	*ret = answers;
	return 0;
}

static void hang_up(struct host *host)
{
	if (host->fd >= 0)
		close(host->fd);
	host->fd = -1;
}

void answers_close(struct answers *answers)
{
	if (!answers)
		return;
	for (size_t i = 0; i < answers->count; i++)
		hang_up(&answers->hosts[i]);
	free(answers);
}

static struct host *find(const struct answers *answers, const struct address *address)
{
	for (size_t i = 0; i < answers->count; i++)
		if (address_equal(&answers->hosts[i].address, address))
			return (struct host *)&answers->hosts[i];
	return NULL;
}

bool answers_has(const struct answers *answers, const struct address *address)
{
	const struct host *host = answers ? find(answers, address) : NULL;

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

static void want(struct answers *answers, const struct address *address, uint16_t port)
{
	struct host *host = find(answers, address);

	if (!host && answers->count < HOSTS) {
		host = &answers->hosts[answers->count++];
		*host = (struct host){.address = *address, .fd = -1};
	}
	if (!host)
		return;
	host->port = port;
	host->wanted = true;
}

struct search {
	struct answers *answers;
	const struct model *model;
};

static int want_down(const struct fact *fact, void *context)
{
	const struct search *search = context;
	const struct pool *pool = model_pool(search->model, fact->pool);

	if (pool && fact->state == HEALTH_DOWN)
		want(search->answers, &fact->address, pool_port(search->model, pool));
	return 0;
}

static void follow(struct answers *answers, const struct model *model, const struct facts *facts)
{
	struct search search = {answers, model};
	size_t kept = 0;

	for (size_t i = 0; i < answers->count; i++)
		answers->hosts[i].wanted = false;
	facts_each(facts, want_down, &search);
	for (size_t i = 0; i < answers->count; i++) {
		if (answers->hosts[i].wanted)
			answers->hosts[kept++] = answers->hosts[i];
		else
			hang_up(&answers->hosts[i]);
	}
	answers->count = kept;
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

static void note(struct host *host, int error)
{
	if (error == 0 || error == ECONNREFUSED) {
		host->answers = true;
		host->missed = 0;
	} else if (++host->missed >= MISSES) {
		host->answers = false;
	}
}

static socklen_t fill(const struct host *host, struct sockaddr_storage *ret)
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

static void ask(struct host *host)
{
	const struct linger at_once = {.l_onoff = 1};
	struct sockaddr_storage to;
	socklen_t length = fill(host, &to);

	host->fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (host->fd < 0)
		return;
	setsockopt(host->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	if (!connect(host->fd, (struct sockaddr *)&to, length))
		note(host, 0);
	else if (errno == EINPROGRESS)
		return;
	else
		note(host, errno);
	hang_up(host);
}

bool answers_tick(struct answers *answers, const struct model *model, const struct facts *facts)
{
	bool changed = false;

	follow(answers, model, facts);
	for (size_t i = 0; i < answers->count; i++) {
		struct host *host = &answers->hosts[i];
		bool before = host->answers;

		if (host->fd >= 0) {
			note(host, outcome(host->fd));
			hang_up(host);
		}
		ask(host);
		changed = changed || host->answers != before;
	}
	return changed;
}
