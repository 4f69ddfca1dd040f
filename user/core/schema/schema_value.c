/* SPDX-License-Identifier: Apache-2.0 */
/* Values of keys as text and JSON, one pair of functions a type. */
#include <ctype.h>
#include <errno.h>
#include <holdfast/flowhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/duration.h"
#include "core/value/listen_address.h"
#include "core/value/name.h"
#include "core/value/seed.h"
#include "core/value/slot_range.h"
#include "diagnosis.h"
#include "schema.h"

/* Enough for the widest value that has a default. */
enum { STANDARD_SIZE = 64 };

/* Integers of any width, as their struct holds them. */
static void store(void *at, size_t size, uint64_t value)
{
	switch (size) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		return;
	case 2:
		*(uint16_t *)at = (uint16_t)value;
		return;
	case 4:
		*(uint32_t *)at = (uint32_t)value;
		return;
	case 8:
		*(uint64_t *)at = value;
		return;
	}
}

static uint64_t load(const void *at, size_t size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

static int read_name(const struct schema_key *key, char *at, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (length >= key->size || (length == 0 && (key->flags & SCHEMA_REQUIRED)) || !text)
		return -EINVAL;
	if (length && !name_valid(text, length))
		return -EINVAL;
	memset(at, 0, key->size);
	memcpy(at, text, length);
	return 0;
}

static int read_number(const struct schema_key *key, void *at, const json_t *value, const char *text)
{
	json_int_t number;

	if (json_is_integer(value)) {
		number = json_integer_value(value);
	} else {
		char *end;

		if (!text || !isdigit((unsigned char)text[0]))
			return -EINVAL;
		errno = 0;
		number = strtoll(text, &end, 10);
		if (*end || errno)
			return -EINVAL;
	}
	if (number < key->low || number > key->high)
		return -ERANGE;
	store(at, key->size, (uint64_t)number);
	return 0;
}

static int read_duration(const struct schema_key *key, void *at, const json_t *value, const char *text)
{
	uint32_t seconds;

	if (json_is_integer(value)) {
		json_int_t number = json_integer_value(value);

		if (number < 0 || number > UINT32_MAX)
			return -ERANGE;
		seconds = (uint32_t)number;
	} else if (!text || duration_parse(text, &seconds) < 0) {
		return -EINVAL;
	}
	if (seconds < key->low || seconds > key->high)
		return -ERANGE;
	store(at, key->size, seconds);
	return 0;
}

static int read_choice(const struct schema_key *key, void *at, const char *text)
{
	for (unsigned int i = 0; text && schema_word(key, i); i++) {
		if (strcmp(schema_word(key, i), text) == 0) {
			store(at, key->size, i);
			return 0;
		}
	}
	return -EINVAL;
}

static int read_bool(void *at, const json_t *value, const char *text)
{
	if (json_is_boolean(value))
		*(bool *)at = json_is_true(value);
	else if (text && strcmp(text, "true") == 0)
		*(bool *)at = true;
	else if (text && strcmp(text, "false") == 0)
		*(bool *)at = false;
	else
		return -EINVAL;
	return 0;
}

static int read_source(struct prefix *at, const char *text)
{
	struct prefix sources[2] = {0};
	char copy[2 * PREFIX_TEXT], *rest = copy, *word;

	if (!text || strlen(text) >= sizeof copy)
		return -EINVAL;
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		struct prefix prefix, *source;

		word += strspn(word, " ");
		if (*word == '\0' && !rest && word == copy) /* "": back to the route's own */
			break;
		if (prefix_parse(word, &prefix) < 0 || !address_unicast(&prefix.address))
			return -EINVAL;
		source = &sources[prefix.address.family == 6];
		if (source->address.family)
			return -EINVAL;
		*source = prefix;
	}
	memcpy(at, sources, sizeof sources);
	return 0;
}

/* Whether it is a set, or a difference that makes one, is seen when all sets are read (history.h). */
static int read_members(char **at, const char *text)
{
	for (const char *letter = text ? text : "?"; *letter; letter++)
		if (!isascii(*letter) || (!isalnum((unsigned char)*letter) && !strchr("-_.*@! ", *letter) &&
					  !(*letter == '=' && letter == text)))
			return -EINVAL;
	*at = strdup(text);
	return *at ? 0 : -EINVAL;
}

/* With one digit behind the point at most. */
static int read_percent(const struct schema_key *key, void *at, const json_t *value, const char *text)
{
	double thousandths;
	uint32_t whole;
	char *end = "";

	if (text && (!isdigit((unsigned char)text[0]) || strspn(text, "0123456789.") != strlen(text)))
		return -EINVAL;
	if (!text && !json_is_number(value))
		return -EINVAL;
	thousandths = 10 * (text ? strtod(text, &end) : json_number_value(value));
	if (*end)
		return -EINVAL;
	if (!(thousandths >= (double)key->low && thousandths <= (double)key->high))
		return -ERANGE;
	whole = (uint32_t)(thousandths + 0.5);
	if (thousandths - whole > 1e-6 || whole - thousandths > 1e-6)
		return -EINVAL;
	store(at, key->size, whole);
	return 0;
}

/* value may be NULL: then text is all there is. */
static int read_value(const struct schema_key *key, void *at, const json_t *value, const char *text)
{
	struct address address;

	switch (key->type) {
	case SCHEMA_NAME:
		return read_name(key, at, text);
	case SCHEMA_NUMBER:
		return read_number(key, at, value, text);
	case SCHEMA_CHOICE:
		return read_choice(key, at, text);
	case SCHEMA_BOOL:
		return read_bool(at, value, text);
	case SCHEMA_DURATION:
		return read_duration(key, at, value, text);
	case SCHEMA_TIME:
		return read_number(key, at, value, text);
	case SCHEMA_SEED:
		return text ? seed_parse(text, at) : -EINVAL;
	case SCHEMA_ADDRESS:
		if (!text || address_parse(text, &address) < 0 || !address_unicast(&address))
			return -EINVAL;
		memcpy(at, &address, sizeof address);
		return 0;
	case SCHEMA_SOURCE:
		return read_source(at, text);
	case SCHEMA_LISTEN:
		return text ? listen_parse(text, at) : -EINVAL;
	case SCHEMA_MEMBERS:
		return read_members(at, text);
	case SCHEMA_PERCENT:
		return read_percent(key, at, value, text);
	case SCHEMA_RANGES:
		return text ? slot_ranges_canonical(text, at) : -EINVAL;
	case SCHEMA_LIST:
		break;
	}
	return -EINVAL;
}

bool schema_owns(const struct schema_key *key)
{
	return key->type == SCHEMA_RANGES || key->type == SCHEMA_MEMBERS;
}

/* The place of a text that a struct owns; NULL: a value of another type. */
static char **owned_text(const struct schema_key *key, const void *at)
{
	return schema_owns(key) ? (char **)at : NULL;
}

void schema_release(const struct schema_key *key, void *at)
{
	char **text = owned_text(key, at);

	if (!text)
		return;
	free(*text);
	*text = NULL;
}

int schema_read(const struct schema_key *key, void *object, const json_t *value, struct refusal *refusal)
{
	void *at = (char *)object + key->offset;
	char **text = owned_text(key, at), *before = text ? *text : NULL;
	int error = read_value(key, at, value, json_string_value(value));

	if (error < 0)
		schema_refuse(key, value, error == -ERANGE, refusal);
	else
		free(before);
	return error < 0 ? -EINVAL : 0;
}

int schema_check(const struct schema_key *key, const char *text, struct diagnosis *ret_fault)
{
	uint64_t room[STANDARD_SIZE / sizeof(uint64_t)] = {0};

	if (read_value(key, room, NULL, text) < 0) {
		*ret_fault = schema_diagnose(key, text);
		return -EINVAL;
	}
	schema_release(key, room);
	return 0;
}

/* A default is text that read_value() takes: a table that says otherwise fails its unit test. */
void schema_read_standard(const struct schema_key *key, void *at)
{
	memset(at, 0, key->size);
	if (key->standard)
		read_value(key, at, NULL, key->standard);
}

bool schema_is_default(const struct schema_key *key, const void *object)
{
	uint64_t standard[STANDARD_SIZE / sizeof(uint64_t)];

	if (key->size > sizeof standard)
		return false;
	schema_read_standard(key, standard);
	return memcmp((const char *)object + key->offset, standard, key->size) == 0;
}

bool schema_equal(const struct schema_key *key, const void *a, const void *b)
{
	char *const *left = owned_text(key, a), *const *right = owned_text(key, b);

	if (!left)
		return !memcmp(a, b, key->size);
	return *left && *right ? !strcmp(*left, *right) : *left == *right;
}

uint64_t schema_digest(const struct schema_key *key, const void *at)
{
	char *const *text = owned_text(key, at);
	const char *bytes = text && *text ? *text : "";

	return text ? XXH64(bytes, (__u32)strlen(bytes), 0) : load(at, key->size);
}

int schema_own(const struct schema_key *key, void *at)
{
	char **text = owned_text(key, at);

	if (!text || !*text)
		return 0;
	*text = strdup(*text);
	return *text ? 0 : -ENOMEM;
}

static json_t *write_source(const struct prefix *sources)
{
	char text[2 * PREFIX_TEXT + 2], one[PREFIX_TEXT];
	size_t length = 0;

	text[0] = '\0';
	for (int i = 0; i < 2; i++)
		if (sources[i].address.family)
			length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
						   length ? "," : "", prefix_text(&sources[i], one));
	return json_string(text);
}

static json_t *write_percent(uint32_t thousandths)
{
	return thousandths % 10 ? json_real(thousandths / 10.0) : json_integer(thousandths / 10);
}

json_t *schema_write(const struct schema_key *key, const void *object)
{
	const void *at = (const char *)object + key->offset;
	char text[LISTEN_TEXT];

	switch (key->type) {
	case SCHEMA_NAME:
		return json_string(at);
	case SCHEMA_NUMBER:
	case SCHEMA_TIME:
		return json_integer((json_int_t)load(at, key->size));
	case SCHEMA_CHOICE:
		return json_string(schema_word(key, (unsigned int)load(at, key->size)));
	case SCHEMA_BOOL:
		return json_boolean(*(const bool *)at);
	case SCHEMA_DURATION:
		return json_string(duration_text((uint32_t)load(at, key->size), text));
	case SCHEMA_SEED:
		return json_string(seed_text(load(at, key->size), text));
	case SCHEMA_ADDRESS:
		return json_string(address_text(at, text));
	case SCHEMA_SOURCE:
		return write_source(at);
	case SCHEMA_LISTEN:
		return json_string(listen_text(at, text));
	case SCHEMA_MEMBERS:
		return json_string(*(char *const *)at);
	case SCHEMA_PERCENT:
		return write_percent((uint32_t)load(at, key->size));
	case SCHEMA_RANGES:
		return json_string(*(char *const *)at ? *(char *const *)at : SLOT_RANGES_EVEN);
	case SCHEMA_LIST:
		break;
	}
	return NULL;
}
