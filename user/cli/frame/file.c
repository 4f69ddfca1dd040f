// SPDX-License-Identifier: Apache-2.0
/* Files that the command line reads, and what it says of those that it cannot read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "complain.h"
#include "file.h"

/* All of a stream, or its first CONFIG_MAX_SIZE bytes and one more, which is then too many. */
static int stream_read(FILE *from, char **ret_text, size_t *ret_length)
{
	char *text = malloc(CONFIG_MAX_SIZE + 2);
	size_t length;
	int error;

	if (!text)
		return -ENOMEM;
	length = fread(text, 1, CONFIG_MAX_SIZE + 1, from);
	if (ferror(from)) {
		error = errno;
		free(text);
		return -error;
	}
	text[length] = '\0';
	*ret_text = text;
	*ret_length = length;
	return 0;
}

static int named_read(const char *file, char **ret_text, size_t *ret_length)
{
	FILE *from = strcmp(file, "-") ? fopen(file, "re") : stdin;
	int r;

	if (!from)
		return -errno;
	r = stream_read(from, ret_text, ret_length);
	if (from != stdin)
		fclose(from);
	return r;
}

static const char *file_name(const char *file)
{
	return strcmp(file, "-") ? file : "standard input";
}

enum exit_status file_read(const char *file, char **ret_text, size_t *ret_length)
{
	struct refusal refusal = {.what = ""};
	int r = named_read(file, ret_text, ret_length);

	if (!r && *ret_length <= CONFIG_MAX_SIZE)
		return STATUS_DONE;
	if (!r)
		free(*ret_text);
	config_refuse_file(r ? r : -EFBIG, &refusal);
	refusal_where(&refusal, "%.180s", file_name(file));
	return complain(STATUS_REFUSED, &refusal, r);
}

enum exit_status file_read_configuration(const char *file, json_t **ret)
{
	struct refusal refusal = {.what = ""}, told;
	char *text = NULL;
	size_t length = 0;
	enum exit_status status = file_read(file, &text, &length);
	int r;

	if (status)
		return status;
	r = config_parse(text, length, ret, &refusal);
	free(text);
	if (!r)
		return STATUS_DONE;
	told = refusal;
	refusal_where(&told, "%.90s%s%.90s", file_name(file), *refusal.where ? ": " : "", refusal.where);
	return complain(STATUS_REFUSED, &told, r);
}
