/* SPDX-License-Identifier: Apache-2.0 */
#include "configuration.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/config/config.h"
#include "change_operation.h"
#include "daemon/base/event_log.h"
#include "waiting.h"

enum { DIGEST_TEXT = 33, WARNINGS_TOLD = 10 };

/* The file is read at every start and signal, and everything else waits meanwhile: a pipe may never end. */
static int open_file(const char *path, struct refusal *refusal)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return config_refuse_file(-errno, refusal);
	if (S_ISREG(status.st_mode))
		return fd;
	close(fd);
	if (S_ISDIR(status.st_mode))
		return config_refuse_file(-EISDIR, refusal);
	refuse(refusal, -EINVAL, "this is a pipe or a device");
	refusal_right(refusal, "a file that can be read again, at each start and at SIGHUP");
	return -EINVAL;
}

/* All of the file, or one byte more than any may have. */
static int read_file(const char *path, char **ret_text, size_t *ret_length, struct refusal *refusal)
{
	int fd = open_file(path, refusal), error = 0;
	size_t length = 0;
	ssize_t more = 1;
	char *text;

	if (fd < 0)
		return fd;
	text = malloc(CONFIG_MAX_SIZE + 1);
	while (text && more > 0 && length <= CONFIG_MAX_SIZE) {
		more = read(fd, text + length, CONFIG_MAX_SIZE + 1 - length);
		length += more > 0 ? more : 0;
	}
	if (!text)
		error = -ENOMEM;
	else if (more < 0)
		error = config_refuse_file(-errno, refusal);
	close(fd);
	if (error) {
		free(text);
		return error;
	}
	*ret_text = text;
	*ret_length = length;
	return 0;
}

/* Of what a configuration says, however its file is written. */
static int digest_configuration(const json_t *configuration, char digest[DIGEST_TEXT])
{
	char *text = json_dumps(configuration, JSON_COMPACT | JSON_SORT_KEYS);
	XXH128_hash_t hash;

	if (!text)
		return -ENOMEM;
	hash = XXH3_128bits(text, strlen(text));
	snprintf(digest, DIGEST_TEXT, "%016llx%016llx", (unsigned long long)hash.high64,
		 (unsigned long long)hash.low64);
	free(text);
	return 0;
}

static bool was_applied(struct instance *instance, const json_t *configuration)
{
	char digest[DIGEST_TEXT], *last = store_setting(instance->store, "applied");
	bool same = last && !digest_configuration(configuration, digest) && !strcmp(last, digest);

	free(last);
	return same;
}

int configuration_note(struct instance *instance, const json_t *configuration, struct refusal *refusal)
{
	char digest[DIGEST_TEXT];
	int error = digest_configuration(configuration, digest);

	return error ? error : store_setting_set(instance->store, "applied", digest, refusal);
}

static bool was_given(struct instance *instance)
{
	char *given = store_setting(instance->store, "file");
	bool was = given != NULL;

	free(given);
	return was;
}

/* The sender of a signal reads them in the log; a file may be warned of once for each of its backends. */
static void tell_warnings(const char *file, const json_t *warnings)
{
	size_t count = json_array_size(warnings), told = count <= WARNINGS_TOLD ? count : WARNINGS_TOLD - 1;

	for (size_t i = 0; i < told; i++)
		event_note(LOG_LEVEL_WARNING, "configuration", file, "%s",
			   json_string_value(json_array_get(warnings, i)));
	if (told < count)
		event_note(LOG_LEVEL_WARNING, "configuration", file, "and %zu more warnings", count - told);
}

static int apply(struct instance *instance, json_t *configuration, bool again, struct refusal *refusal)
{
	const char *file = instance->options->config;
	char cause[192];
	struct change change = {.author = "holdfastd", .cause = cause, .first = instance->first && !again};
	json_t *answer = NULL;
	int error;

	snprintf(cause, sizeof cause, "apply %.180s", file);
	error = change_configuration(instance, configuration, &change, &answer, refusal);
	if (!error)
		tell_warnings(file, json_object_get(answer, "warnings"));
	json_decref(answer);
	if (error)
		return error;
	/* The file is in force. If this cannot be noted, the next start applies the file again, no more. */
	if (configuration_note(instance, configuration, refusal) ||
	    store_setting_set(instance->store, "file", file, refusal))
		log_refusal(LOG_LEVEL_WARNING, "the applied file is not noted", refusal);
	return 0;
}

int configuration_read(const char *path, json_t **ret, struct refusal *refusal)
{
	char *text = NULL;
	size_t length = 0;
	int error = read_file(path, &text, &length, refusal);

	if (!error)
		error = config_parse(text, length, ret, refusal);
	free(text);
	return error;
}

static int apply_file(struct instance *instance, bool again, struct refusal *refusal)
{
	json_t *configuration = NULL;
	char *text = NULL;
	size_t length = 0;
	int error = read_file(instance->options->config, &text, &length, refusal);

	/* A host that was never given a file is run by its verbs; one that has lost its file is told so. What
	 * a file names may be missing, too, so this is asked before it is parsed. */
	if (error == -ENOENT && !was_given(instance))
		return 0;
	if (!error)
		error = config_parse(text, length, &configuration, refusal);
	free(text);
	if (!error && (again || !was_applied(instance, configuration)))
		error = apply(instance, configuration, again, refusal);
	json_decref(configuration);
	return error;
}

/* What a person reads in the log and in `status`. A signal cannot carry --force, so this names the command
 * that can. */
static void tell_refusal(struct instance *instance, int error, const struct refusal *refusal)
{
	const char *file = instance->options->config;
	struct refusal told = *refusal;
	char text[REFUSAL_TEXT];

	if (error == -EPERM)
		refusal_right(&told, "if it is meant: holdfast apply -f %.180s --force", file);
	refusal_text(&told, text);
	snprintf(instance->configuration_problem, sizeof instance->configuration_problem,
		 "%.180s is not applied: %s", file, text);
	event_note(LOG_LEVEL_ERROR, "configuration", file, "not applied: %s", text);
}

static void apply_again(void *context)
{
	configuration_apply(context, true);
}

void configuration_apply(struct instance *instance, bool again)
{
	static int64_t patient_until;
	struct refusal refusal = {0};
	int error;

	if (!instance->options->config)
		return;
	error = apply_file(instance, again, &refusal);
	if (waiting_add(instance->waiting, error, &patient_until, apply_again, instance))
		return;
	patient_until = 0;
	instance->configuration_problem[0] = '\0';
	if (!error)
		return;
	if (!refusal.what[0])
		refuse(&refusal, error, "%s", strerror(-error));
	tell_refusal(instance, error, &refusal);
}
