// SPDX-License-Identifier: Apache-2.0
#include "complain.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Text from elsewhere must not move the cursor of the operator's terminal. */
static void print_clean(FILE *to, const char *text)
{
	for (; *text; text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, to);
}

static void print_part(const char *before, const char *text)
{
	if (!*text)
		return;
	fputs(before, stderr);
	print_clean(stderr, text);
}

static void print_refusal(const char *kind, const char *what, const char *where, const char *right)
{
	fflush(stdout);
	fprintf(stderr, "holdfast%s", kind);
	print_part(": ", where);
	print_part(": ", what);
	print_part(": ", right);
	fputc('\n', stderr);
}

enum exit_status complain(enum exit_status status, const struct refusal *refusal, int error)
{
	const char *what = *refusal->what ? refusal->what : strerror(error < 0 ? -error : error);

	print_refusal("", what, refusal->where, refusal->right);
	return status;
}

enum exit_status complain_memory(void)
{
	return complain(STATUS_REFUSED, &(struct refusal){.what = ""}, ENOMEM);
}

void warn_about(const struct refusal *warning)
{
	if (*warning->what)
		print_refusal(": warning", warning->what, warning->where, warning->right);
}
