/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP status and kind of each error: docs/api.md. */
#ifndef HOLDFAST_HTTP_ERROR_H
#define HOLDFAST_HTTP_ERROR_H

struct http_error {
	int error; /* negative errno */
	unsigned int status;
	const char *kind; /* for programs; a refusal may have a kind of its own */
};

/* Never NULL: what is not in the table is 503, unavailable. */
const struct http_error *http_error_of(int error);

#endif
