// SPDX-License-Identifier: Apache-2.0
#include "endpoint.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int port_read(const char *text, uint16_t *ret)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || port > UINT16_MAX)
		return -EINVAL;
	*ret = port;
	return 0;
}

int endpoint_read(const char *text, bool port, struct endpoint *ret)
{
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	char host[ENDPOINT_TEXT_SIZE];
	const char *colon = port ? strrchr(text, ':') : text + strlen(text);
	size_t length = colon ? (size_t)(colon - text) : sizeof(host);
	uint16_t number = 0;

	if (length >= sizeof(host) || (port && port_read(colon + 1, &number)))
		return -EINVAL;
	if (length > 2 && text[0] == '[' && text[length - 1] == ']') {
		text++;
		length -= 2;
	}
	memcpy(host, text, length);
	host[length] = 0;
	four.sin_port = six.sin6_port = htons(number);
	if (inet_pton(AF_INET, host, &four.sin_addr) == 1) {
		memcpy(&ret->address, &four, sizeof(four));
		ret->length = sizeof(four);
	} else if (inet_pton(AF_INET6, host, &six.sin6_addr) == 1) {
		memcpy(&ret->address, &six, sizeof(six));
		ret->length = sizeof(six);
	} else {
		return -EINVAL;
	}
	return 0;
}

void endpoint_write(const struct endpoint *endpoint, uint16_t port, char ret[ENDPOINT_TEXT_SIZE])
{
	const void *address = &endpoint->address;
	char host[INET6_ADDRSTRLEN] = "";

	if (endpoint->address.ss_family == AF_INET) {
		inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, host, sizeof(host));
		snprintf(ret, ENDPOINT_TEXT_SIZE, "%s:%u", host, port);
	} else {
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, host, sizeof(host));
		snprintf(ret, ENDPOINT_TEXT_SIZE, "[%s]:%u", host, port);
	}
}

uint16_t endpoint_port(const struct endpoint *endpoint)
{
	const void *address = &endpoint->address;

	if (endpoint->address.ss_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)address)->sin_port);
	return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
}

bool server_name_valid(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return length && length < SERVER_NAME_SIZE && !name[length];
}

uint64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

uint64_t files_raise(uint64_t files)
{
	struct rlimit limit = {.rlim_cur = files, .rlim_max = files};

	/* Without the right to raise the hard limit, up to it. */
	if (setrlimit(RLIMIT_NOFILE, &limit) && !getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
}
