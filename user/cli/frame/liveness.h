/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Liveness: whether to go on waiting for an answer. A change may take the daemon minutes: the command
 * line waits while the daemon answers another, small request. A daemon that answers nothing at all hangs.
 */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

struct liveness {
	const char *socket;
	long patience;    /* milliseconds of silence until it counts as hanging; 0: never */
	long heard;       /* when it was heard last: monotonic milliseconds */
	curl_off_t moved; /* bytes, of the request and its answer */
	bool hangs;
};

/* While curl waits, *liveness, which must outlive it, decides. A request that is given up sets hangs. */
void liveness_watch(CURL *curl, struct liveness *liveness);
