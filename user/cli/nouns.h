/* SPDX-License-Identifier: Apache-2.0 */
/* The nouns of holdfast: each in the file of its name, with its verbs and what they do. */
#ifndef HOLDFAST_CLI_NOUNS_H
#define HOLDFAST_CLI_NOUNS_H

#include "cli/frame/verb.h"

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

/* Arguments and options that several nouns share. */
#define INTERFACE  ARGUMENT("IF", VALUE_INTERFACE, "name")
#define PROTO      ARGUMENT("PROTO", VALUE_PROTO, "proto")
#define GENERATION ARGUMENT("GENERATION", VALUE_COUNT, NULL)

#define CONFIGURATION(required_)                                                               \
	OPTION("file", VALUE_FILE, "FILE", "the configuration, - for standard input; also -f", \
	       .required = required_, .local = true)

#endif
