/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the command line: checked before anything is sent. */
#pragma once

#include "core/model/model.h"
#include "core/value/refusal.h"

enum value_kind {
	VALUE_FLAG,      /* no value: true where it is given */
	VALUE_TEXT,      /* anything but nothing */
	VALUE_WORD,      /* one of the row's choices */
	VALUE_NAME,      /* of a pool, backend, zone or instance */
	VALUE_BACKEND,   /* POOL/NAME: becomes the members pool and name */
	VALUE_INTERFACE, /* of a network device */
	VALUE_ADDRESS,
	VALUE_PREFIX,
	VALUE_PROTO,    /* tcp or udp */
	VALUE_LISTEN,   /* VIP:PORT, VIP:LOW-HIGH, VIP:any */
	VALUE_ENDPOINT, /* ADDRESS:PORT, one port */
	VALUE_COUNT,    /* a whole number from 1 */
	VALUE_DURATION, /* "30s", "2h", "1h30m", a unit with every number: sent as it was typed */
	VALUE_RANGE,    /* slots: "17", "0-99" */
	VALUE_FILE,
	VALUE_KEY, /* of the configuration: checked by its key (key_option.h), not here */
};

/* What a value of that kind looks like, for completion of a sentence: "a weight from 0 to 65535". */
const char *value_describe(enum value_kind kind);
/* Checks text; choices as in the verb table. 0, or -EINVAL with *refusal filled. */
int value_check(enum value_kind kind, const char *text, const char *choices, struct refusal *refusal);
/* Takes a checked POOL/NAME apart. */
void value_split_backend(const char *text, char pool[static NAME_SIZE], char name[static BACKEND_TEXT]);
