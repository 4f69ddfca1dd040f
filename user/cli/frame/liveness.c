// SPDX-License-Identifier: Apache-2.0
#include "liveness.h"

#include "moment.h"

/* Milliseconds, as libcurl counts. */
static long liveness_clock(void)
{
	return (long)(monotonic_seconds() * 1000);
}

static size_t discard(char *data, size_t size, size_t count, void *context)
{
	(void)data;
	(void)context;
	return size * count;
}

/* Any answer will do: one that is refused comes from a daemon that lives, too. */
static bool answers(const char *socket, long milliseconds)
{
	CURL *curl = curl_easy_init();
	bool answered;

	curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket);
	curl_easy_setopt(curl, CURLOPT_URL, "http://holdfast/v1/version");
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, discard);
	answered = curl && curl_easy_perform(curl) == CURLE_OK;
	curl_easy_cleanup(curl);
	return answered;
}

/* libcurl asks at least once a second; another value than 0 ends the request. */
static int go_on(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
	struct liveness *liveness = context;
	long now = liveness_clock(), half = liveness->patience / 2;

	(void)down_total;
	(void)up_total;
	if (down + up != liveness->moved) {
		liveness->moved = down + up;
		liveness->heard = now;
	}
	if (!half || now - liveness->heard < half)
		return 0;
	liveness->hangs = !answers(liveness->socket, half);
	liveness->heard = liveness_clock();
	return liveness->hangs;
}

void liveness_watch(CURL *curl, struct liveness *liveness)
{
	liveness->heard = liveness_clock();
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, go_on);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, liveness);
}
