/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/duration.h"
#include "core/value/name.h"
#include "core/value/seed.h"
#include "core/value/slot_range.h"

struct diagnosis diagnosis(const char *why, ...)
{
	struct diagnosis found = {0};
	va_list args;

	va_start(args, why);
	vsnprintf(found.why, sizeof found.why, why, args);
	va_end(args);
	return found;
}

const char *quote(const char *text, char quoted[QUOTED_TEXT])
{
	enum { LONGEST = 80 };

	snprintf(quoted, QUOTED_TEXT, "\"%.*s%s\"", LONGEST, text, strlen(text) > LONGEST ? "..." : "");
	return quoted;
}

/* Letters --------------------------------------------------------------------------- */

static struct diagnosis has_letter(char letter)
{
	if (letter == ' ')
		return diagnosis("has a space");
	if (!isascii(letter))
		return diagnosis("has a character that is not ASCII");
	if (iscntrl((unsigned char)letter))
		return diagnosis("has a control character");
	return diagnosis("has the character %c", letter);
}

static struct diagnosis diagnose_length(const char *text)
{
	return *text ? diagnosis("is %zu characters long", strlen(text)) : diagnosis("is empty");
}

struct diagnosis diagnose_name(const char *text)
{
	size_t at = 0;

	while (name_letter(text[at], false))
		at++;
	if (text[at])
		return has_letter(text[at]);
	if (*text && !name_letter(*text, true))
		return diagnosis("begins with %c", *text);
	return diagnose_length(text);
}

struct diagnosis diagnose_interface(const char *text)
{
	for (const char *letter = text; *letter; letter++)
		if (*letter == '/' || !isascii(*letter) || !isgraph((unsigned char)*letter))
			return has_letter(*letter);
	if (!strcmp(text, ".") || !strcmp(text, ".."))
		return diagnosis("is the name of a directory");
	return diagnose_length(text);
}

/* Numbers --------------------------------------------------------------------------- */

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* What stands where digits alone may. */
static struct diagnosis no_number(const char *text)
{
	return *text ? diagnosis("is not a whole number") : diagnosis("is empty");
}

struct diagnosis diagnose_number(const char *text, int64_t low, int64_t high)
{
	bool negative = *text == '-' && text[1];
	long long number;

	text += negative;
	if (!*text || text[digits(text)])
		return no_number(text);
	errno = 0;
	number = strtoll(text, NULL, 10);
	if (negative || (!errno && number < low))
		return diagnosis("is below %" PRId64, low);
	return diagnosis("is above %" PRId64, high);
}

struct diagnosis diagnose_percent(const char *text, int64_t low, int64_t high)
{
	const char *rest = text + digits(text);

	if (!strcmp(rest, "%") && rest > text)
		return diagnosis("has a %% sign");
	if (rest == text || (*rest && *rest != '.') || (*rest && rest[1 + digits(rest + 1)]))
		return diagnosis(*text ? "is not a number" : "is empty");
	if (strtod(text, NULL) * 10 > (double)high)
		return diagnosis("is above %" PRId64, high / 10);
	if (strtod(text, NULL) * 10 < (double)low)
		return diagnosis("is below %" PRId64, low / 10);
	return diagnosis("has more than one digit behind the point");
}

struct diagnosis diagnose_seed(const char *text)
{
	size_t hexadecimal = strspn(text, "0123456789abcdefABCDEF");

	struct diagnosis found;

	if (text[hexadecimal])
		found = has_letter(text[hexadecimal]);
	else
		found = strlen(text) == SEED_TEXT - 1 ? diagnosis("has no digit but 0")
						      : diagnose_length(text);
	strcpy(found.right, "16 hexadecimal digits, not all 0, as `holdfast seed` prints");
	return found;
}

struct diagnosis diagnose_slots(const char *text, uint32_t most)
{
	size_t first = digits(text);
	const char *dash = text + first, *last = dash + (*dash == '-');
	unsigned long long low = strtoull(text, NULL, 10), high = strtoull(last, NULL, 10);
	struct diagnosis found;

	if (!first || (*dash && *dash != '-') || (*dash && !*last) || last[digits(last)])
		return diagnosis(*text ? "is not a slot or a range of slots" : "is empty");
	if (low > most || (*dash && high > most))
		return diagnosis("goes beyond slot %" PRIu32, most);
	found = diagnosis("ends before it begins");
	snprintf(found.right, sizeof found.right, "%llu-%llu", high, low);
	return found;
}

/* NAME=SLOTS, one of a list. */
static struct diagnosis diagnose_range(const char *range, uint32_t most)
{
	size_t length = strcspn(range, "=");
	const char *slots = range + length + 1;

	if (!*range)
		return diagnosis("has nothing before or behind a comma");
	if (!range[length])
		return diagnosis("has no = in %.60s", range);
	if (!length)
		return diagnosis("has no name before %.60s", range);
	for (size_t i = 0; i < length; i++)
		if (!name_letter(range[i], false))
			return has_letter(range[i]);
	if (length >= NAME_SIZE)
		return diagnosis("has a name that is %zu characters long", length);
	return diagnosis("has slots %.30s, which %.50s", slots, diagnose_slots(slots, most).why);
}

struct diagnosis diagnose_ranges(const char *text, uint32_t most)
{
	char *copy = strdup(text), *rest = copy, *word;
	struct diagnosis found = diagnosis("gives a slot to two owners");

	while (copy && (word = strsep(&rest, ","))) {
		struct slot_range *ranges;
		size_t count;

		if (slot_ranges_parse(word, &ranges, &count) < 0) {
			found = diagnose_range(word, most);
			break;
		}
		free(ranges);
	}
	free(copy);
	return found;
}

/* Times ----------------------------------------------------------------------------- */

/* A digit, some unit, and so on: which unit is none, or stands where it may not. */
static struct diagnosis diagnose_units(const char *text)
{
	static const char order[] = "dhms";
	const char *before = order;

	for (const char *at = text; *at;) {
		size_t number = digits(at), length = strspn(at + number, "abcdefghijklmnopqrstuvwxyz"
									 "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		const char *unit = at + number, *known = length == 1 ? strchr(order, *unit) : NULL;

		if (!number && length)
			return diagnosis("has no number before %.*s", (int)(length > 16 ? 16 : length), unit);
		if (!length && *unit)
			return has_letter(*unit);
		if (!length)
			return diagnosis("ends without a unit");
		if (!known)
			return diagnosis("has the unit %.*s", (int)(length > 16 ? 16 : length), unit);
		if (known < before)
			return diagnosis("has its units in the wrong order");
		if (known == before && at > text)
			return diagnosis("has the unit %c twice", *unit);
		before = known;
		at = unit + length;
	}
	return diagnosis("is too long a time");
}

struct diagnosis diagnose_duration(const char *text, uint32_t low, uint32_t high)
{
	char limit[DURATION_TEXT];
	uint32_t seconds;

	if (!*text)
		return diagnosis("is empty");
	if (*text == '-')
		return diagnosis("is negative");
	if (duration_parse(text, &seconds) == 0 && seconds < low)
		return diagnosis("is less than %s", duration_text(low, limit));
	if (duration_parse(text, &seconds) == 0)
		return diagnosis("is more than %s", duration_text(high, limit));
	return text[digits(text)] ? diagnose_units(text) : diagnosis("has no unit");
}
