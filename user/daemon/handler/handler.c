/* SPDX-License-Identifier: Apache-2.0 */
#include "handler.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

const char *request_query(const struct request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

int request_flag(const struct request *request, const char *name, bool *ret, struct refusal *refusal)
{
	const char *text = request_query(request, name);

	if (text && strcmp(text, "0") && strcmp(text, "1"))
		return refuse(refusal, -EINVAL, "%s is 0 or 1", name);
	*ret = text && *text == '1';
	return 0;
}

int request_count(const struct request *request, const char *name, int64_t most, int64_t *ret,
		  struct refusal *refusal)
{
	const char *text = request_query(request, name);
	char *end;
	long long value;

	if (!text)
		return 0;
	value = strtoll(text, &end, 10);
	if (*end || end == text || value < 0 || value > most) {
		refuse(refusal, -EINVAL, "%s=%.32s is out of range", name, text);
		refusal_right(refusal, "a whole number from 0 to %lld", (long long)most);
		return -EINVAL;
	}
	*ret = value;
	return 0;
}
