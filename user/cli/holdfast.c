// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <version.h>

#include "cli/frame/call.h"
#include "cli/frame/complain.h"
#include "cli/frame/help.h"

static enum exit_status run(const struct call *call)
{
	if (call->help)
		return help_print_words(call->words, call->word_count);
	if (call->version) {
		printf("holdfast %s\n", HOLDFAST_VERSION);
		return STATUS_DONE;
	}
	if (!call->verb) {
		help_print_all(stderr);
		return STATUS_USAGE;
	}
	return call->verb->run(call);
}

/* Output that did not arrive (a full disk, a closed pipe) must not look like success. */
static enum exit_status close_output(enum exit_status status)
{
	struct refusal refusal = {.what = ""};

	if (!ferror(stdout) && !fflush(stdout))
		return status;
	if (errno == EPIPE)
		return status ? status : STATUS_REFUSED;
	refuse(&refusal, -errno, "the output could not be written: %s", strerror(errno));
	return complain(status ? status : STATUS_REFUSED, &refusal, errno);
}

int main(int argc, char **argv)
{
	struct call call;
	struct refusal refusal = {.what = ""};
	enum exit_status status;
	int r = call_parse(argc, argv, &call, &refusal);

	if (r)
		return complain(STATUS_USAGE, &refusal, r);
	status = run(&call);
	call_free(&call);
	return close_output(status);
}
