// SPDX-License-Identifier: Apache-2.0
#include "value.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/schema/diagnosis.h"
#include "core/value/address.h"
#include "core/value/duration.h"
#include "core/value/name.h"
#include "core/value/nearest.h"
#include "core/value/slot_range.h"

static const char *const descriptions[] = {
	[VALUE_FLAG] = "no value",
	[VALUE_TEXT] = "some text",
	[VALUE_WORD] = "one of the words in its help",
	[VALUE_NAME] = "up to 63 letters, digits, '-', '_' and '.', the first a letter or digit",
	[VALUE_BACKEND] =
		"POOL/NAME, like db/db1, or POOL/NAME@ADDRESS; names have up to 63 letters, digits, "
		"'-', '_' and '.'",
	[VALUE_INTERFACE] = "a network device's name, at most 15 bytes, like eth0",
	[VALUE_ADDRESS] = "an IPv4 or IPv6 address, like 10.0.0.11 or 2001:db8::11",
	[VALUE_PREFIX] = "a prefix without host bits, like 10.0.0.0/8, or an address",
	[VALUE_PROTO] = "tcp or udp",
	[VALUE_LISTEN] = "VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80",
	[VALUE_ENDPOINT] = "ADDRESS:PORT, IPv6 in brackets, like 198.51.100.7:40000",
	[VALUE_COUNT] = "a whole number from 1",
	[VALUE_DURATION] = "a time in days, hours, minutes and seconds, like 30s, 5m, 1h30m or 2d",
	[VALUE_RANGE] = "a slot or a range of slots, like 17 or 0-99",
	[VALUE_FILE] = "a file's name, or - for standard input",
};

const char *value_describe(enum value_kind kind)
{
	return descriptions[kind];
}

static bool count_valid(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long long number = strtoull(text, NULL, 10);

	return digits && !text[digits] && number >= 1 && number <= UINT32_MAX;
}

static bool backend_valid(const char *text)
{
	const char *slash = strchr(text, '/'), *name = slash ? slash + 1 : "", *at = strchr(name, '@');
	struct address address;

	return slash && name_valid(text, (size_t)(slash - text)) &&
	       name_valid(name, at ? (size_t)(at - name) : strlen(name)) &&
	       (!at || (strlen(at + 1) < ADDRESS_TEXT && !address_parse(at + 1, &address)));
}

static bool interface_valid(const char *text)
{
	size_t length = strlen(text);

	if (!length || length >= INTERFACE_SIZE || !strcmp(text, ".") || !strcmp(text, ".."))
		return false;
	for (; *text; text++) {
		if (*text == '/' || !isgraph((unsigned char)*text))
			return false;
	}
	return true;
}

static bool endpoint_valid(const char *text, bool one_port)
{
	struct address address;
	uint16_t low, high;

	return !endpoint_parse(text, &address, &low, &high) && (!one_port || low == high);
}

static bool word_listed(const char *text, const char *choices)
{
	size_t length = strlen(text);

	for (const char *word = choices; *word; word += strspn(word, " ")) {
		size_t span = strcspn(word, " ");

		if (span == length && !strncmp(word, text, length))
			return true;
		word += span;
	}
	return false;
}

/* Names the choices, and the nearest of them. */
static void word_right(const char *text, const char *choices, struct refusal *refusal)
{
	char list[256], *rest = list, *word;
	struct nearest nearest = nearest_to(text);

	refusal_right(refusal, "one of: %s", choices);
	strncpy(list, choices, sizeof list - 1);
	list[sizeof list - 1] = '\0';
	while ((word = strsep(&rest, " ")))
		nearest_offer(&nearest, word);
	if (nearest.best)
		refusal_right(refusal, "one of: %s (did you mean %s?)", choices, nearest.best);
}

/* One part of a text of several. */
static struct diagnosis diagnose_part(const char *part, struct diagnosis inner)
{
	return diagnosis("has %s that %.72s", part, inner.why);
}

static struct diagnosis diagnose_backend(const char *text)
{
	char copy[BACKEND_TEXT + NAME_SIZE], *name, *at;

	if (strlen(text) >= sizeof copy)
		return diagnosis("is %zu characters long", strlen(text));
	strcpy(copy, text);
	name = strchr(copy, '/');
	if (!name)
		return diagnosis(*text ? "has no /" : "is empty");
	*name++ = '\0';
	at = strchr(name, '@');
	if (at)
		*at++ = '\0';
	if (!name_valid(copy, strlen(copy)))
		return diagnose_part("a pool", diagnose_name(copy));
	if (!name_valid(name, strlen(name)))
		return diagnose_part("a backend", diagnose_name(name));
	return diagnose_part("an address", diagnose_address(at ? at : ""));
}

static struct diagnosis diagnose_one_port(const char *text)
{
	return endpoint_valid(text, false) ? diagnosis("has more than one port") : diagnose_endpoint(text);
}

/* Why text is no such value; its why is empty where it is one. */
static struct diagnosis diagnose_value(enum value_kind kind, const char *text, const char *choices)
{
	static const struct diagnosis none;
	struct address address;
	struct prefix prefix;
	uint32_t seconds, first, last;

	switch (kind) {
	case VALUE_FLAG:
	case VALUE_KEY:
		return none;
	case VALUE_TEXT:
	case VALUE_FILE:
		return *text ? none : diagnosis("is empty");
	case VALUE_WORD:
		return word_listed(text, choices) ? none : diagnosis("is not one of the choices");
	case VALUE_NAME:
		return name_valid(text, strlen(text)) ? none : diagnose_name(text);
	case VALUE_BACKEND:
		return backend_valid(text) ? none : diagnose_backend(text);
	case VALUE_INTERFACE:
		return interface_valid(text) ? none : diagnose_interface(text);
	case VALUE_ADDRESS:
		return address_parse(text, &address) ? diagnose_address(text) : none;
	case VALUE_PREFIX:
		return prefix_parse(text, &prefix) ? diagnose_prefix(text) : none;
	case VALUE_PROTO:
		return word_listed(text, "tcp udp") ? none : diagnosis("is neither tcp nor udp");
	case VALUE_LISTEN:
		return endpoint_valid(text, false) ? none : diagnose_endpoint(text);
	case VALUE_ENDPOINT:
		return endpoint_valid(text, true) ? none : diagnose_one_port(text);
	case VALUE_COUNT:
		return count_valid(text) ? none : diagnose_number(text, 1, UINT32_MAX);
	case VALUE_DURATION:
		return duration_parse(text, &seconds) ? diagnose_duration(text, 0, UINT32_MAX) : none;
	case VALUE_RANGE:
		return slots_parse(text, &first, &last) ? diagnose_slots(text, SLOTS_MOST - 1) : none;
	}
	return diagnosis("is not read");
}

int value_check(enum value_kind kind, const char *text, const char *choices, struct refusal *refusal)
{
	struct diagnosis fault = diagnose_value(kind, text, choices);
	char quoted[QUOTED_TEXT];

	if (!*fault.why)
		return 0;
	refuse(refusal, -EINVAL, "%s %s", quote(text, quoted), fault.why);
	if (kind == VALUE_WORD)
		word_right(text, choices, refusal);
	else
		refusal_right(refusal, "%s", *fault.right ? fault.right : descriptions[kind]);
	return -EINVAL;
}

void value_split_backend(const char *text, char pool[static NAME_SIZE], char name[static BACKEND_TEXT])
{
	const char *slash = strchr(text, '/');

	memcpy(pool, text, (size_t)(slash - text));
	pool[slash - text] = '\0';
	strcpy(name, slash + 1);
}
