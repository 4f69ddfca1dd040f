/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what happened, for the log and for `events` from the store. They are written together once a
 * second, so that a thousand neighbours that come at once cost one commit. What one cause does to many
 * backends is one event, with their number.
 */
#pragma once

#include "log.h"
#include "daemon/store/store.h"

/* kind: "change", "next-hop", "interface", "configuration", "health", "drain", "settled", "program",
 * "flow-table", "database", "pins".
 * subject: "db/db2", "eth0", may be "". */
__attribute__((format(printf, 4, 5))) void event_note(enum log_level level, const char *kind,
						      const char *subject, const char *format, ...);

/* What one cause does to a backend: one line, however many backends there are. */
struct common_event {
	enum log_level level;
	const char *kind;
	const char *subject, *one; /* of one backend: "10.0.0.11", "cannot be reached: no route" */
	const char *cause, *many;  /* of several, which share both: "10.0.0.1 on eth0", "cannot be reached" */
};

/*
 * Notes it of one more backend ("db/b1"). Those with the same kind, cause and `many` are one event: "1000
 * backends cannot be reached: db/b1, db/b2, db/b3 and 997 more". events_flush() writes it, or the next event
 * of another kind or cause. All texts are copied, and cut at 255 bytes.
 */
void event_gather(const struct common_event *event, const char *backend);

/*
 * Writes what was noted to the store. Where that fails it is kept for the next call: up to 1000 events of
 * each kind, the first ones. What is beyond is in the log alone.
 */
void events_flush(struct store *store);
