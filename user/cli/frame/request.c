// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include <ctype.h>
#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/value/duration.h"
#include "complain.h"
#include "field.h"
#include "liveness.h"

enum {
	BODY_MAX = 256 << 20, /* a daemon that says more than this is none */
	PATH_TEXT = 1024,
	SOCKET_TEXT = sizeof(((struct sockaddr_un *)0)->sun_path),
};

struct body {
	char *text;
	size_t length;
};

static size_t body_add(char *data, size_t size, size_t count, void *context)
{
	struct body *body = context;
	size_t more = size * count;
	char *text;

	if (more > BODY_MAX - body->length)
		return 0;
	text = realloc(body->text, body->length + more + 1);
	if (!text)
		return 0;
	memcpy(text + body->length, data, more);
	body->text = text;
	body->length += more;
	text[body->length] = '\0';
	return more;
}

static int socket_path(const struct call *call, char path[static SOCKET_TEXT], struct refusal *refusal)
{
	int length = snprintf(path, SOCKET_TEXT, "%s/%s.sock", call->runtime_dir, call->instance);

	if (length < SOCKET_TEXT)
		return 0;
	refuse(refusal, -ENAMETOOLONG, "the socket's path is too long");
	refusal_where(refusal, "%.150s", call->runtime_dir);
	refusal_right(refusal, "at most %d bytes: a shorter --runtime-dir", SOCKET_TEXT - 1);
	return -ENAMETOOLONG;
}

/* Lists the instances that have a socket, so that a wrong --instance is seen at once. */
static void instances_listed(const char *runtime_dir, char list[static 128])
{
	DIR *dir = opendir(runtime_dir);
	struct dirent *entry;

	*list = '\0';
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		if (length <= 5 || strcmp(entry->d_name + length - 5, ".sock") ||
		    strlen(list) + length + 2 > 127)
			continue;
		if (*list)
			strcat(list, ", ");
		strncat(list, entry->d_name, length - 5);
	}
	closedir(dir);
}

static void refuse_unreachable(const struct call *call, const char *path, const char *how, int error,
			       struct refusal *refusal)
{
	char list[128];

	refuse(refusal, -error, "the daemon of instance %.64s cannot be reached: %s", call->instance,
	       error ? strerror(error) : how);
	refusal_where(refusal, "%s", path);
	instances_listed(call->runtime_dir, list);
	if (error == EACCES || error == EPERM)
		refusal_right(refusal, "be root, or in the group holdfast to read");
	else if (*list && error == ENOENT)
		refusal_right(refusal, "name a running instance with --instance (%s), or start holdfastd",
			      list);
	else if (call->verb && call->verb->flags & VERB_WORKS_OFFLINE)
		refusal_right(refusal, "start holdfastd (systemctl start holdfastd), or add --offline");
	else
		refusal_right(refusal, "start holdfastd (systemctl start holdfastd)");
}

/* It is there and says nothing. change: it may have been asked for one. */
static void refuse_hanging(const struct call *call, const char *path, const char *how, bool change,
			   struct refusal *refusal)
{
	refuse(refusal, -ETIME, "the daemon of instance %.64s does not answer: %s", call->instance, how);
	refusal_where(refusal, "%s", path);
	if (change)
		refusal_right(refusal,
			      "it may still carry out the change: `holdfast status` shows what is in "
			      "force once it answers; restart it (systemctl restart holdfastd) if it does "
			      "not");
	else
		refusal_right(
			refusal, "restart it (systemctl restart holdfastd), which leaves connections alone%s",
			call->verb && call->verb->flags & VERB_WORKS_OFFLINE ? ", or add --offline" : "");
}

/* The daemon's own words, or the HTTP status where it had none. */
static void refuse_answer(const json_t *json, long code, struct refusal *refusal)
{
	const json_t *error = json_object_get(json, "error");

	if (!json_is_object(error)) {
		refuse(refusal, -EPROTO, "the daemon refused with HTTP status %ld", code);
		return;
	}
	refuse(refusal, -EINVAL, "%s", field_text(error, "what"));
	refusal_where(refusal, "%s", field_text(error, "where"));
	refusal_right(refusal, "%s", field_text(error, "right"));
	refusal_kind(refusal, field_text(error, "kind"));
}

static CURL *curl_for(const char *socket, const char *path, const char *text, struct body *body,
		      struct curl_slist **ret_headers)
{
	CURL *curl = curl_easy_init();
	char url[2048];

	if (!curl || snprintf(url, sizeof url, "http://holdfast%s", path) >= (int)sizeof url) {
		curl_easy_cleanup(curl);
		return NULL;
	}
	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body_add);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, body);
	if (text) {
		/* Without this libcurl asks before it sends a body, and waits for the answer. */
		*ret_headers = curl_slist_append(curl_slist_append(NULL, "Expect:"),
						 "Content-Type: application/json");
		curl_easy_setopt(curl, CURLOPT_HTTPHEADER, *ret_headers);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(text));
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, text);
	}
	return curl;
}

static enum exit_status answer_read(struct body *body, long code, const char *socket, struct answer *ret,
				    struct refusal *refusal)
{
	json_t *json = body->text ? json_loadb(body->text, body->length, 0, NULL) : NULL;

	if (code / 100 == 2 && json) {
		while (body->length && isspace((unsigned char)body->text[body->length - 1]))
			body->text[--body->length] = '\0';
		*ret = (struct answer){body->text, json};
		body->text = NULL;
		return STATUS_DONE;
	}
	if (code / 100 == 2) {
		refuse(refusal, -EPROTO, "what answers there is not holdfastd: it does not speak JSON");
		refusal_where(refusal, "%s", socket);
		return STATUS_UNREACHABLE;
	}
	refuse_answer(json, code, refusal);
	json_decref(json);
	return STATUS_REFUSED;
}

/* What became of a request that got no answer. */
static void refuse_unanswered(const struct call *call, const struct liveness *liveness, CURL *curl,
			      CURLcode result, bool change, struct refusal *refusal)
{
	char silent[64];
	long error = 0;

	if (result == CURLE_COULDNT_CONNECT)
		curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &error);
	if (liveness->hangs) {
		snprintf(silent, sizeof silent, "it was silent for %.32s", call->patience);
		refuse_hanging(call, liveness->socket, silent, change, refusal);
		return;
	}
	/* libcurl takes the EAGAIN of a full queue for a connection that is being made. */
	if (result == CURLE_COULDNT_CONNECT && !error) {
		refuse_hanging(call, liveness->socket, "its queue of connections is full", false, refusal);
		return;
	}
	refuse_unreachable(call, liveness->socket, curl_easy_strerror(result), (int)error, refusal);
	if (change && result != CURLE_COULDNT_CONNECT)
		refusal_right(refusal, "the change may be in force: `holdfast status` shows what is");
}

/* The path with the words, escaped, in the places of its "%s". What has no room is left out. */
static void path_fill(const char *path, const char *const *words, char full[static PATH_TEXT])
{
	size_t length = 0;

	for (const char *gap; length < PATH_TEXT && (gap = strstr(path, "%s")); path = gap + 2) {
		char *word = curl_easy_escape(NULL, *words++, 0);

		length += (size_t)snprintf(full + length, PATH_TEXT - length, "%.*s%s", (int)(gap - path),
					   path, word ? word : "");
		curl_free(word);
	}
	if (length < PATH_TEXT)
		snprintf(full + length, PATH_TEXT - length, "%s", path);
}

static enum exit_status request(const struct call *call, const char *path, const char *text,
				struct answer *ret, struct refusal *refusal)
{
	char socket[SOCKET_TEXT];
	struct liveness liveness = {.socket = socket};
	uint32_t patience = 0;
	struct curl_slist *headers = NULL;
	struct body body = {.text = NULL};
	enum exit_status status = STATUS_UNREACHABLE;
	long code = 0;
	CURLcode result;
	CURL *curl;

	if (socket_path(call, socket, refusal))
		return STATUS_USAGE;
	curl = curl_for(socket, path, text, &body, &headers);
	if (!curl) {
		refuse(refusal, -ENOMEM, "the request is too long, or memory is short");
		goto out;
	}
	duration_parse(call->patience, &patience);
	liveness.patience = patience * 1000L;
	liveness_watch(curl, &liveness);
	result = curl_easy_perform(curl);
	if (result == CURLE_OK) {
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
		status = answer_read(&body, code, socket, ret, refusal);
	} else {
		refuse_unanswered(call, &liveness, curl, result, text && !call->dry_run, refusal);
	}
out:
	curl_easy_cleanup(curl);
	curl_slist_free_all(headers);
	free(body.text);
	return status;
}

enum exit_status request_try(const struct call *call, const char *path, const char *const *words,
			     const json_t *body, struct answer *ret, struct refusal *refusal)
{
	char full[PATH_TEXT], *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	enum exit_status status;

	if (body && !text) {
		refuse(refusal, -ENOMEM, "memory is short");
		return STATUS_REFUSED;
	}
	path_fill(path, words, full);
	status = request(call, full, text, ret, refusal);
	free(text);
	return status;
}

enum exit_status request_get(const struct call *call, const char *path, const char *const *words,
			     struct answer *ret)
{
	struct refusal refusal = {.what = ""};
	enum exit_status status = request_try(call, path, words, NULL, ret, &refusal);

	return status ? complain(status, &refusal, 0) : STATUS_DONE;
}

enum exit_status request_post(const struct call *call, const char *path, const json_t *body,
			      struct answer *ret)
{
	struct refusal refusal = {.what = ""};
	enum exit_status status = request_try(call, path, NULL, body, ret, &refusal);

	return status ? complain(status, &refusal, 0) : STATUS_DONE;
}

enum exit_status request_show(const struct call *call, const char *path, const char *const *words,
			      void (*print)(const json_t *answer))
{
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_get(call, path, words, &answer);

	if (!status && call->json)
		answer_print(&answer);
	else if (!status)
		print(answer.json);
	answer_free(&answer);
	return status;
}

void answer_free(struct answer *answer)
{
	free(answer->text);
	json_decref(answer->json);
	*answer = (struct answer){NULL, NULL};
}

enum exit_status answer_print(const struct answer *answer)
{
	puts(answer->text);
	return STATUS_DONE;
}
