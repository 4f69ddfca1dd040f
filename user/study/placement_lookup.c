// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/frame/field.h"
#include "cli/frame/show.h"
#include "figure.h"
#include "placement_study.h"
#include "placement_verbs.h"

enum { LIST_MAX = 64 };

static const char *name_of(const struct placement *placement, uint16_t member)
{
	return member == PLACEMENT_NONE ? "nobody" : placement_member_name(placement, member);
}

static json_t *key_json(const struct placement *before, const struct placement *after, const char *key,
			size_t replicas)
{
	size_t length = strlen(key), count;
	uint16_t list[LIST_MAX];
	json_t *names = json_array(), *row;

	count = placement_lookup_list(before, key, length, list, replicas);
	for (size_t rank = 0; rank < count; rank++)
		json_array_append_new(names, json_string(name_of(before, list[rank])));
	row = json_pack("{s:s,s:I,s:I,s:s,s:o}", "key", key, "hash",
			(json_int_t)placement_key_hash(before, key, length), "slot",
			(json_int_t)placement_key_slot(before, key, length), "owner",
			name_of(before, placement_lookup(before, key, length)), "list", names);
	if (after)
		json_object_set_new(row, "owner_after",
				    json_string(name_of(after, placement_lookup(after, key, length))));
	return row;
}

/* Those behind the owner. */
static const char *then_cell(const json_t *row, const char *key, char text[CELL_TEXT])
{
	size_t rank, used = 0;
	json_t *name;

	*text = '\0';
	json_array_foreach (json_object_get(row, key), rank, name) {
		if (rank && used < CELL_TEXT)
			used += (size_t)snprintf(text + used, CELL_TEXT - used, "%s%s", used ? ", " : "",
						 json_string_value(name));
	}
	return text;
}

static void keys_print(const json_t *rows)
{
	static const struct column columns[] = {
		{"KEY", "key", text_cell},
		{">SLOT", "slot", field_count},
		{"OWNER", "owner", text_cell},
		{"?THEN", "list", then_cell},
		{"?AFTER", "owner_after", text_cell},
		{.header = NULL},
	};

	show_table(rows, columns);
}

enum exit_status placement_lookup_keys(const struct call *call)
{
	enum placement_scheme scheme = study_scheme(call, PLACEMENT_MAGLEV);
	uint32_t replicas = study_number(call, "replicas", 3);
	struct placement *before = NULL, *after = NULL;
	struct study study;
	enum exit_status status = study_open(call, &study);
	json_t *rows;

	if (status)
		return status;
	status = study_build(&study, scheme, false, &before);
	if (!status && study.change)
		status = study_build(&study, scheme, true, &after);
	rows = json_array();
	for (size_t i = 0; !status && i < call->word_count; i++)
		json_array_append_new(rows, key_json(before, after, call->words[i],
						     replicas < LIST_MAX ? replicas : LIST_MAX));
	if (!status && call->json)
		figures_print_json(json_incref(rows));
	else if (!status)
		keys_print(rows);
	json_decref(rows);
	placement_free(before);
	placement_free(after);
	study_close(&study);
	return status;
}
