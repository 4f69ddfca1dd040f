/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what happened, for the log at once and for `events` from the store. They are written together once
 * a second, so that a thousand neighbours that come at once cost one commit.
 */
#ifndef HOLDFAST_EVENTS_H
#define HOLDFAST_EVENTS_H

#include "log.h"
#include "store.h"

/* kind: "change", "next-hop", "interface", "configuration", "health", "drain", "settled", "program",
 * "flow-table".
 * subject: "db/db2", "eth0", may be "". */
__attribute__((format(printf, 4, 5))) void event_note(enum log_level level, const char *kind,
						      const char *subject, const char *format, ...);
/* Writes what was noted to the store. Where that fails, up to 10,000 events are kept for the next call. */
void events_flush(struct store *store);

#endif
