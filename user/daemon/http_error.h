/* SPDX-License-Identifier: Apache-2.0 */
/* How errors are told over HTTP: docs/api.md. */
#ifndef HOLDFAST_HTTP_ERROR_H
#define HOLDFAST_HTTP_ERROR_H

struct http_error {
	int error; /* negative errno */
	unsigned int status;
	const char *kind; /* what a program may go by, where the refusal itself says no more */
};

/* Never NULL: what is not in the table is 503, unavailable. */
const struct http_error *http_error_of(int error);

#endif
