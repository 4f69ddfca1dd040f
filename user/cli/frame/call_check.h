/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what was typed is what the rows ask for. Refusals name the option or the argument. */
#ifndef HOLDFAST_CLI_CALL_CHECK_H
#define HOLDFAST_CLI_CALL_CHECK_H

#include "call.h"

/* Checks an option's value. 0, or -EINVAL with *refusal filled. */
int option_check(const struct option *option, const char *value, struct refusal *refusal);
/* Says in *refusal what values the option takes. */
void option_right(const struct option *option, struct refusal *refusal);
/* Checks options and words against the call's verb; from here on the options point to its own rows. */
int call_check(struct call *call, struct refusal *refusal);

#endif
