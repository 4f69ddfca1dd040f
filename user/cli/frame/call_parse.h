/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_CALL_PARSE_H
#define HOLDFAST_CLI_CALL_PARSE_H

#include "call.h"

/* Reads argv; what *ret holds borrows its strings. 0, -ENOMEM, or -EINVAL with *refusal filled. */
int call_parse(const struct program *program, int argc, char **argv, struct call *ret,
	       struct refusal *refusal);

#endif
