// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <version.h>

#include "complain.h"
#include "help.h"
#include "key_option.h"

static enum exit_status call_run(const struct call *call)
{
	if (call->help)
		return help_print_words(call->program, call->words, call->word_count);
	if (call->version) {
		printf("%s %s\n", call->program->name, HOLDFAST_VERSION);
		return STATUS_DONE;
	}
	if (!call->verb) {
		help_print_all(call->program, stderr);
		return STATUS_USAGE;
	}
	return (call->verb->run ? call->verb->run : call->noun->run)(call);
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

int program_main(const struct program *program, int argc, char **argv)
{
	struct call call;
	struct refusal refusal = {.what = ""};
	enum exit_status status;
	int r = key_options_make(program);

	if (!r)
		r = call_parse(program, argc, argv, &call, &refusal);
	if (r)
		return complain(STATUS_USAGE, &refusal, r);
	status = call_run(&call);
	call_free(&call);
	return close_output(status);
}
