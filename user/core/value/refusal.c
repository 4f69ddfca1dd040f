/* SPDX-License-Identifier: Apache-2.0 */
#include "refusal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int refuse(struct refusal *refusal, int error, const char *what, ...)
{
	va_list args;

	if (!refusal)
		return error;
	va_start(args, what);
	vsnprintf(refusal->what, sizeof refusal->what, what, args);
	va_end(args);
	refusal->where[0] = refusal->right[0] = refusal->kind[0] = '\0';
	return error;
}

int refusal_complete(struct refusal *refusal, int error)
{
	if (error == 0 || !refusal || refusal->what[0])
		return error;
	return refuse(refusal, error, "%s",
		      error == -ENOMEM ? "there is not enough memory: nothing was changed"
				       : strerror(-error));
}

void refusal_where(struct refusal *refusal, const char *where, ...)
{
	va_list args;

	if (!refusal)
		return;
	va_start(args, where);
	vsnprintf(refusal->where, sizeof refusal->where, where, args);
	va_end(args);
}

void refusal_right(struct refusal *refusal, const char *right, ...)
{
	va_list args;

	if (!refusal)
		return;
	va_start(args, right);
	vsnprintf(refusal->right, sizeof refusal->right, right, args);
	va_end(args);
}

void refusal_right_raise(struct refusal *refusal, const char *less, const char *option, uint64_t value)
{
	refusal_right(refusal,
		      "%s, or holdfastd %s %" PRIu64
		      ", which takes effect when the instance's pins are made again",
		      less, option, value);
}

void refusal_kind(struct refusal *refusal, const char *kind)
{
	if (refusal)
		snprintf(refusal->kind, sizeof refusal->kind, "%s", kind);
}

const char *refusal_text(const struct refusal *refusal, char text[REFUSAL_TEXT])
{
	snprintf(text, REFUSAL_TEXT, "%s%s%s%s%s", refusal->where, refusal->where[0] ? ": " : "",
		 refusal->what, refusal->right[0] ? ": " : "", refusal->right);
	return text;
}
