/* SPDX-License-Identifier: Apache-2.0 */
#include "http_error.h"

#include <errno.h>
#include <microhttpd.h>

static const struct http_error errors[] = {
	{-EINVAL, MHD_HTTP_BAD_REQUEST, "invalid"},
	{-E2BIG, MHD_HTTP_BAD_REQUEST, "invalid"},
	{-EPERM, MHD_HTTP_FORBIDDEN, "denied"},
	{-EACCES, MHD_HTTP_FORBIDDEN, "denied"},
	{-ENOENT, MHD_HTTP_NOT_FOUND, "missing"},
	{-ENODEV, MHD_HTTP_NOT_FOUND, "missing"},
	{-EOPNOTSUPP, MHD_HTTP_METHOD_NOT_ALLOWED, "method"},
	{-ETIME, MHD_HTTP_REQUEST_TIMEOUT, "too-slow"},
	{-EEXIST, MHD_HTTP_CONFLICT, "exists"},
	{-EBUSY, MHD_HTTP_CONFLICT, "in-use"},
	{-ESTALE, MHD_HTTP_CONFLICT, "stale"},
	{-EMSGSIZE, MHD_HTTP_CONTENT_TOO_LARGE, "too-large"},
	{-EUSERS, MHD_HTTP_TOO_MANY_REQUESTS, "too-many"},
	{-ENOMSG, MHD_HTTP_INTERNAL_SERVER_ERROR, "unanswered"},
};

const struct http_error *http_error_of(int error)
{
	static const struct http_error other = {0, MHD_HTTP_SERVICE_UNAVAILABLE, "unavailable"};

	for (unsigned int i = 0; i < sizeof errors / sizeof *errors; i++) {
		if (errors[i].error == error)
			return &errors[i];
	}
	return &other;
}
