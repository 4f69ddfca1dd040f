/* SPDX-License-Identifier: Apache-2.0 */
/* What a service is called: by protocol, address and port. */
#ifndef HOLDFAST_SERVICE_TEXT_H
#define HOLDFAST_SERVICE_TEXT_H

#include "model.h"

/* "tcp 203.0.113.10:5432", as the API and messages have it. Returns text. */
enum { SERVICE_TEXT = ENDPOINT_TEXT + 8 };
const char *service_text(const struct service *service, char text[SERVICE_TEXT]);

#endif
