/* SPDX-License-Identifier: Apache-2.0 */
#include "listen_address.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

int listen_parse(const char *text, struct listen *ret)
{
	size_t length = strcspn(text, " ");
	struct listen listen = {.proto = IPPROTO_TCP};

	if (length == 3 && strncmp(text, "udp", 3) == 0)
		listen.proto = IPPROTO_UDP;
	else if (length != 3 || strncmp(text, "tcp", 3) != 0)
		return -EINVAL;
	text += length;
	text += strspn(text, " ");
	if (endpoint_parse(text, &listen.vip, &listen.port_low, &listen.port_high) < 0)
		return -EINVAL;
	*ret = listen;
	return 0;
}

const char *listen_text(const struct listen *listen, char text[LISTEN_TEXT])
{
	char endpoint[ENDPOINT_TEXT];

	snprintf(text, LISTEN_TEXT, "%s %s", proto_name(listen->proto),
		 endpoint_text(&listen->vip, listen->port_low, listen->port_high, endpoint));
	return text;
}
