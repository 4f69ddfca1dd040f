/* SPDX-License-Identifier: Apache-2.0 */
#include "service_text.h"

#include <stdio.h>

const char *service_text(const struct service *service, char text[SERVICE_TEXT])
{
	char endpoint[ENDPOINT_TEXT];

	snprintf(text, SERVICE_TEXT, "%s %s", proto_name(service->proto),
		 endpoint_text(&service->vip, service->port_low, service->port_high, endpoint));
	return text;
}
