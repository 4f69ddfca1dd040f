/* SPDX-License-Identifier: Apache-2.0 */
/* The nouns of holdfast: each in the file of its name or of a noun beside it, with its verbs and what they
 * do. */
#pragma once

#include "cli/frame/show.h"
#include "cli/frame/verb.h"

struct findings;

extern const struct noun status_noun;
extern const struct noun interface_noun;
extern const struct noun pool_noun;
extern const struct noun service_noun;
extern const struct noun backend_noun;
extern const struct noun receiver_noun;
extern const struct noun check_noun;
extern const struct noun why_noun;
extern const struct noun counters_noun;
extern const struct noun events_noun;
extern const struct noun upgrade_noun;
extern const struct noun plan_noun;
extern const struct noun apply_noun;
extern const struct noun export_noun;
extern const struct noun generations_noun;
extern const struct noun rollback_noun;
extern const struct noun placement_noun;
extern const struct noun seed_noun;
extern const struct noun version_noun;
extern const struct noun manual_noun;

/* What one noun has for another: tables of the list of that name in a view, cells, and lines. */
void interfaces_print(const json_t *view);
void services_print(const json_t *view);
void pools_print(const json_t *status);
/* "db/db1": of a backend whose name is its member key. */
const char *backend_cell(const json_t *backend, const char *key, char text[CELL_TEXT]);
/* One line on where a backend's packets go next. */
void next_hop_show(const json_t *hop);
/* Prints and frees what was found. STATUS_REFUSED where a fault is among it. */
enum exit_status findings_tell(const struct call *call, struct findings *findings);
/* backend drain, and the wait until the backend can be switched off. */
enum exit_status run_backend_drain(const struct call *call);

/* Arguments and options that several nouns share. */
#define INTERFACE ARGUMENT("IF", VALUE_INTERFACE, "name")
#define PROTO     ARGUMENT("PROTO", VALUE_PROTO, "proto")

#define CONFIGURATION(required_)                                                               \
	OPTION("file", VALUE_FILE, "FILE", "the configuration, - for standard input; also -f", \
	       .required = required_, .local = true)
