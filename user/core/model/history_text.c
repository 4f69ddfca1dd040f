/* SPDX-License-Identifier: Apache-2.0 */
/* Member sets as texts, whole and as differences. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"

enum { MEMBER_TEXT = 2 * NAME_SIZE + 16 };

char *members_text(const struct pool *pool)
{
	char *text = malloc(pool->backend_count * MEMBER_TEXT + 1), *at = text;

	if (!text)
		return NULL;
	*at = '\0';
	for (size_t i = 0; i < pool->backend_count; i++) {
		const struct backend *backend = &pool->backends[i];

		if (backend->removing)
			continue;
		if (at != text)
			*at++ = ' ';
		at = stpcpy(at, backend->name);
		if (backend->weight != WEIGHT_DEFAULT)
			at += sprintf(at, "*%" PRIu32, backend->weight);
		if (backend->zone[0]) {
			*at++ = '@';
			at = stpcpy(at, backend->zone);
		}
		if (backend_rests(backend))
			at = stpcpy(at, "!");
	}
	return text;
}

/* One word, taken apart in place. */
static int member_parse(char *word, struct member *ret)
{
	char *zone = strchr(word, '@'), *weight;
	size_t length = strlen(word);
	unsigned long value = WEIGHT_DEFAULT;

	if (length && word[length - 1] == '!')
		word[length - 1] = '\0';
	if (strchr(word, '!'))
		return -EINVAL;
	if (zone)
		*zone++ = '\0';
	weight = strchr(word, '*');
	if (weight) {
		char *end;

		*weight++ = '\0';
		value = strtoul(weight, &end, 10);
		if (*weight < '0' || *weight > '9' || *end || value > WEIGHT_MAX)
			return -EINVAL;
	}
	if (!*word || strlen(word) >= NAME_SIZE || (zone && strlen(zone) >= NAME_SIZE))
		return -EINVAL;
	*ret = (struct member){.name = word, .zone = zone ? zone : "", .weight = (uint32_t)value};
	return 0;
}

int members_parse(const char *text, struct member **ret_members, size_t *ret_count)
{
	size_t most = 1, count = 0, size = strlen(text) + 1;
	struct member *members;
	char *rest, *word;
	int error = 0;

	for (const char *at = text; *at; at++)
		most += *at == ' ';
	members = malloc(most * sizeof *members + size);
	if (!members)
		return -ENOMEM;
	rest = memcpy(members + most, text, size); /* where the names stay */
	while (error == 0 && *text && (word = strsep(&rest, " ")))
		error = member_parse(word, &members[count++]);
	for (size_t i = 1; error == 0 && i < count; i++)
		if (strcmp(members[i - 1].name, members[i].name) >= 0)
			error = -EINVAL;
	if (error < 0) {
		free(members);
		return error;
	}
	*ret_members = members;
	*ret_count = count;
	return 0;
}

bool members_name(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += length)
		if ((at == text || at[-1] == ' ') && (at[length] == '\0' || strchr(" *@!", at[length])))
			return true;
	return false;
}

/* Differences ------------------------------------------------------------------------- */

/* A word of a members text, and where its name ends. */
struct word {
	const char *at;
	size_t length, name;
};

static struct word word_at(const char *at)
{
	return (struct word){at, strcspn(at, " "), strcspn(at, " *@!")};
}

static const char *word_after(struct word word)
{
	return word.at + word.length + (word.at[word.length] == ' ');
}

const char *members_next_resting(const char *at, char ret_name[NAME_SIZE])
{
	while (*at) {
		struct word word = word_at(at);

		at = word_after(word);
		if (word.length && word.at[word.length - 1] == '!') {
			memcpy(ret_name, word.at, word.name);
			ret_name[word.name] = '\0';
			return at;
		}
	}
	return NULL;
}

/* Order by name; the end of a text comes last. */
static int word_order(struct word a, struct word b)
{
	size_t shorter = a.name < b.name ? a.name : b.name;
	int order;

	if (!a.length || !b.length)
		return !a.length - !b.length;
	order = strncmp(a.at, b.at, shorter);
	return order ? order : (a.name > b.name) - (a.name < b.name);
}

static char *write_word(char *to, const char *sign, struct word word, size_t length)
{
	*to++ = ' ';
	to = stpcpy(to, sign);
	memcpy(to, word.at, length);
	return to + length;
}

/* "= -db3 db1*200": the way from before to text. Never longer than both together, and a sign a word. */
static char *members_difference(const char *before, const char *text)
{
	char *difference = malloc(2 * (strlen(before) + strlen(text)) + 4), *to = difference;

	if (!difference)
		return NULL;
	*to++ = '=';
	while (*before || *text) {
		struct word old = word_at(before), new = word_at(text);
		int order = word_order(old, new);

		if (order < 0)
			to = write_word(to, "-", old, old.name);
		else if (order > 0 || old.length != new.length || memcmp(old.at, new.at, old.length) != 0)
			to = write_word(to, "", new, new.length);
		if (order <= 0)
			before = word_after(old);
		if (order >= 0)
			text = word_after(new);
	}
	*to = '\0';
	return difference;
}

char *history_members(const struct model *model, size_t at)
{
	const struct member_record *record = &model->history[at], *before = at ? record - 1 : NULL;
	char *difference;

	if (!before || strcmp(before->pool, record->pool) != 0)
		return strdup(record->members);
	difference = members_difference(before->members, record->members);
	if (difference && strlen(difference) >= strlen(record->members))
		strcpy(difference, record->members);
	return difference;
}

/* Removed words are in the order of the others, so that one walk over both suffices. */
int members_resolve(const char *before, const char *difference, char **ret)
{
	char *text = malloc(strlen(before) + strlen(difference) + 2), *to = text;

	if (!text)
		return -ENOMEM;
	difference += strcspn(difference, " ");
	difference += *difference == ' ';
	while (*before || *difference) {
		bool gone = *difference == '-';
		struct word old = word_at(before), new = word_at(difference + gone);
		int order = word_order(old, new);

		if (order > 0 && gone) { /* what was not there cannot go */
			free(text);
			return -EINVAL;
		}
		if (order < 0)
			to = write_word(to, "", old, old.length);
		else if (!gone)
			to = write_word(to, "", new, new.length);
		if (order <= 0)
			before = word_after(old);
		if (order >= 0)
			difference = word_after(new);
	}
	*to = '\0';
	memmove(text, text + (*text == ' '), strlen(text) + 1 - (*text == ' '));
	*ret = text;
	return 0;
}

static bool is_member_set(const char *text)
{
	struct member *members;
	size_t count;

	if (members_parse(text, &members, &count) < 0)
		return false;
	free(members);
	return true;
}

int history_resolve(struct model *model, size_t *ret_at)
{
	for (size_t i = 0; i < model->history_count; i++) {
		struct member_record *record = &model->history[i];
		char *text;
		int error = -EINVAL;

		if (record->members[0] != '=' && is_member_set(record->members))
			continue;
		if (record->members[0] == '=' && i && strcmp(record[-1].pool, record->pool) == 0)
			error = members_resolve(record[-1].members, record->members, &text);
		if (error == 0 && !is_member_set(text)) {
			free(text);
			error = -EINVAL;
		}
		if (error < 0) {
			*ret_at = i;
			return error;
		}
		free(record->members);
		record->members = text;
	}
	return 0;
}
