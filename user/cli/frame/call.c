// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <stdlib.h>
#include <string.h>

void call_free(struct call *call)
{
	free(call->words);
	free(call->given);
	call->words = NULL;
	call->given = NULL;
}

const char *call_argument(const struct call *call, size_t n)
{
	return n < call->word_count ? call->words[n] : NULL;
}

/* The last, if it was given twice. */
static const struct given *given_find(const struct call *call, const char *name)
{
	for (size_t i = call->given_count; i--;) {
		if (!strcmp(call->given[i].option->name, name))
			return &call->given[i];
	}
	return NULL;
}

const char *call_option(const struct call *call, const char *name)
{
	const struct given *given = given_find(call, name);

	return given ? given->value : NULL;
}

bool call_flag(const struct call *call, const char *name)
{
	return given_find(call, name);
}

const char *call_next(const struct call *call, const char *name, size_t *position)
{
	while (*position < call->given_count) {
		const struct given *given = &call->given[(*position)++];

		if (!strcmp(given->option->name, name))
			return given->value;
	}
	return NULL;
}
