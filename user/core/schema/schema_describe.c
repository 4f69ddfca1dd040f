/* SPDX-License-Identifier: Apache-2.0 */
/* What a key takes, in words. */
#include <stdio.h>

#include "core/value/duration.h"
#include "schema.h"

const char *schema_word(const struct schema_key *key, unsigned int value)
{
	unsigned int count = 0;

	while (key->words[count] && (!key->high || count <= key->high))
		count++;
	return value < count ? key->words[value] : NULL;
}

static void describe_choice(const struct schema_key *key, char *text, size_t size)
{
	size_t length = 0;

	for (unsigned int i = 0; schema_word(key, i) && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s",
					   i == 0                    ? ""
					   : schema_word(key, i + 1) ? ", "
								     : " or ",
					   schema_word(key, i));
}

const char *schema_describe(const struct schema_key *key, char *text, size_t size)
{
	char low[DURATION_TEXT], high[DURATION_TEXT];
	static const char *const fixed[] = {
		[SCHEMA_BOOL] = "true or false",
		[SCHEMA_TIME] = "milliseconds since 1970",
		[SCHEMA_SEED] = "16 hexadecimal digits in quotes, as `holdfast seed` makes them",
		[SCHEMA_ADDRESS] = "the address of one host, such as 10.0.0.11 or 2001:db8::11",
		[SCHEMA_SOURCE] =
			"a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64",
		[SCHEMA_LISTEN] =
			"tcp or udp, an address and a port, a range or any, such as tcp 203.0.113.10:5432 "
			"or udp [2001:db8::1]:8000-8100",
		[SCHEMA_MEMBERS] = "names in order, each with *WEIGHT and @ZONE where it has them, such as "
				   "\"db1 db2*200 "
				   "db3@east\"",
		[SCHEMA_RANGES] = "every slot's owner, such as db1=0-8191,db2=8192-16383, or even",
		[SCHEMA_LIST] = "a list",
	};

	switch (key->type) {
	case SCHEMA_NAME:
		snprintf(text, size,
			 "%zu characters at most: letters, digits, '-', '_' and '.', the first a letter or "
			 "digit",
			 key->size - 1);
		break;
	case SCHEMA_NUMBER:
		if (key->low == key->high)
			snprintf(text, size, "%lld", (long long)key->low);
		else
			snprintf(text, size, "a number from %lld to %lld", (long long)key->low,
				 (long long)key->high);
		break;
	case SCHEMA_PERCENT:
		snprintf(text, size, "percent from %lld to %lld, with one digit behind the point at most",
			 (long long)key->low / 10, (long long)key->high / 10);
		break;
	case SCHEMA_DURATION:
		snprintf(text, size, "a time from %s to %s, such as 30s or 1h30m",
			 duration_text((uint32_t)key->low, low), duration_text((uint32_t)key->high, high));
		break;
	case SCHEMA_CHOICE:
		describe_choice(key, text, size);
		break;
	default:
		snprintf(text, size, "%s", fixed[key->type]);
	}
	return text;
}
