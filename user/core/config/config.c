/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <libfyaml.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config_place.h"
#include "core/model/schema_table.h"
#include "model_json.h"

/* Text ---------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at text (RFC 3629), 0 if it is none. */
static size_t character_length(const unsigned char *text, size_t left)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = text[0] < 0x80       ? 1
			: text[0] >> 5 == 6  ? 2
			: text[0] >> 4 == 14 ? 3
			: text[0] >> 3 == 30 ? 4
					     : 0;
	uint32_t character = length > 1 ? text[0] & (0x7fU >> length) : text[0];

	if (length == 0 || length > left)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (text[i] >> 6 != 2)
			return 0;
		character = character << 6 | (text[i] & 0x3fU);
	}
	if (character < least[length] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
		return 0;
	return length;
}

/* How many bytes stand before the first that is not of a character of text. */
static size_t text_span(const char *text, size_t length)
{
	size_t at = 0, step = 1;

	while (at < length && step) {
		step = text[at] ? character_length((const unsigned char *)text + at, length - at) : 0;
		at += step;
	}
	return at;
}

static int check_text(const char *text, size_t length, struct refusal *refusal)
{
	size_t span = text_span(text, length);
	unsigned int line = 1, column = 1;
	unsigned char byte;

	if (span == length)
		return 0;
	for (size_t at = 0; at < span; at++) {
		bool begins = (text[at] & 0xc0) != 0x80;

		column = text[at] == '\n' ? 1 : column + begins;
		line += text[at] == '\n';
	}
	byte = (unsigned char)text[span];
	refuse(refusal, -EINVAL, byte ? "byte 0x%02x is not UTF-8" : "byte 0x%02x is not text", byte);
	refusal_where(refusal, "line %u, column %u", line, column);
	refusal_right(refusal, "a text file in UTF-8");
	return -EINVAL;
}

/* Nodes to JSON ---------------------------------------------------------------------- */

/* Text stays text, except where the schema knows it for a number or a truth. */
static json_t *convert_scalar(struct fy_node *node, const struct schema_key *key)
{
	size_t length = 0;
	const char *text = fy_node_get_scalar(node, &length);
	bool digits = length > 0 && length < 18;

	if (!text)
		return json_null();
	for (size_t i = 0; i < length; i++)
		digits = digits && isdigit((unsigned char)text[i]);
	if (digits && key &&
	    (key->type == SCHEMA_NUMBER || key->type == SCHEMA_TIME || key->type == SCHEMA_DURATION)) {
		char number[24];

		memcpy(number, text, length);
		number[length] = '\0';
		return json_integer(strtoll(number, NULL, 10));
	}
	if (key && key->type == SCHEMA_LIST && length == 0)
		return json_null();
	if (key && key->type == SCHEMA_BOOL && length == 4 && memcmp(text, "true", 4) == 0)
		return json_true();
	if (key && key->type == SCHEMA_BOOL && length == 5 && memcmp(text, "false", 5) == 0)
		return json_false();
	return json_stringn(text, length);
}

/* Written over several lines, by | or > or in quotes: no value here needs it, and the parser's text of some
 * is longer than what it has written there (libfyaml counts before it folds). */
static bool is_folded(struct fy_node *node)
{
	enum fy_node_style style = fy_node_get_style(node);
	struct fy_token *token = fy_node_get_scalar_token(node);
	const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL,
			     *end = token ? fy_token_end_mark(token) : NULL;

	return style == FYNS_LITERAL || style == FYNS_FOLDED || (start && end && start->line != end->line);
}

/* Escapes can write what the text itself cannot hold. */
static bool is_text(struct fy_node *node)
{
	size_t length = 0;
	const char *text = fy_node_get_scalar(node, &length);

	return !text || text_span(text, length) == length;
}

static int check_scalar(struct fy_node *node, struct refusal *refusal)
{
	if (is_folded(node)) {
		refuse(refusal, -EINVAL, "texts over several lines are not read");
		refusal_right(refusal, "the value in one line, without | or >");
	} else if (!is_text(node)) {
		refuse(refusal, -EINVAL, "a value has an escape that writes no character");
		refusal_right(refusal, "the characters themselves, without \\");
	} else {
		return 0;
	}
	place_node(node, "", refusal);
	return -EINVAL;
}

static int convert(struct fy_node *node, const struct schema *schema, const struct schema_key *key,
		   json_t **ret, struct refusal *refusal);

static int convert_pair(json_t *object, struct fy_node_pair *pair, const struct schema *schema,
			struct refusal *refusal)
{
	struct fy_node *name_node = fy_node_pair_key(pair);
	const struct schema_key *key;
	const char *text = NULL;
	json_t *value = NULL;
	char name[NAME_SIZE];
	size_t length = 0;
	int error;

	if (name_node && fy_node_is_scalar(name_node) && !fy_node_is_alias(name_node) &&
	    !is_folded(name_node))
		text = fy_node_get_scalar(name_node, &length);
	if (!text || length == 0 || length >= sizeof name || memchr(text, '\0', length)) {
		refuse(refusal, -EINVAL, "this is not a key");
		refusal_right(refusal, "a key of %s", schema ? schema->noun : "the configuration");
		place_node(name_node ? name_node : fy_node_pair_value(pair), "", refusal);
		return -EINVAL;
	}
	memcpy(name, text, length);
	name[length] = '\0';
	key = schema ? schema_find(schema, name) : NULL;
	error = convert(fy_node_pair_value(pair), key ? key->items : NULL, key, &value, refusal);
	if (error < 0)
		return error;
	return json_object_set_new(object, name, value) < 0 ? -ENOMEM : 0;
}

static int convert_mapping(struct fy_node *node, const struct schema *schema, json_t **ret,
			   struct refusal *refusal)
{
	json_t *object = json_object();
	struct fy_node_pair *pair;
	void *at = NULL;
	int error = object ? 0 : -ENOMEM;

	while (error == 0 && (pair = fy_node_mapping_iterate(node, &at)))
		error = convert_pair(object, pair, schema, refusal);
	if (error < 0) {
		json_decref(object);
		return error;
	}
	*ret = object;
	return 0;
}

static int convert_sequence(struct fy_node *node, const struct schema *schema, json_t **ret,
			    struct refusal *refusal)
{
	json_t *array = json_array(), *item = NULL;
	struct fy_node *item_node;
	void *at = NULL;
	int error = array ? 0 : -ENOMEM;

	while (error == 0 && (item_node = fy_node_sequence_iterate(node, &at))) {
		error = convert(item_node, schema, NULL, &item, refusal);
		if (error == 0 && json_array_append_new(array, item) < 0)
			error = -ENOMEM;
	}
	if (error < 0) {
		json_decref(array);
		return error;
	}
	*ret = array;
	return 0;
}

/* schema: of the mapping that node is, or of each item of the sequence that it is. */
static int convert(struct fy_node *node, const struct schema *schema, const struct schema_key *key,
		   json_t **ret, struct refusal *refusal)
{
	if (node && fy_node_is_alias(node)) {
		refuse(refusal, -EINVAL, "aliases are not read");
		refusal_right(refusal, "the value itself, written out");
		place_node(node, "", refusal);
		return -EINVAL;
	}
	if (node && fy_node_is_mapping(node))
		return convert_mapping(node, schema, ret, refusal);
	if (node && fy_node_is_sequence(node))
		return convert_sequence(node, schema, ret, refusal);
	if (node && check_scalar(node, refusal) < 0)
		return -EINVAL;
	*ret = node ? convert_scalar(node, key) : json_null();
	return *ret ? 0 : -ENOMEM;
}

/* Files ------------------------------------------------------------------------------ */

static const struct {
	int error;
	const char *what, *right;
} troubles[] = {
	{ENOENT, "there is no such file", "the path of a configuration file"},
	{ENOTDIR, "a part of this path is a file, not a directory", "the path of a configuration file"},
	{EISDIR, "this is a directory", "a configuration file, such as holdfast.yaml, in it"},
	{EACCES, "this user may not read it", "a file that this user may read, or run it as root"},
	{EPERM, "this user may not read it", "a file that this user may read, or run it as root"},
	{ENXIO, "this is a socket or a device that gives nothing to read", "a text file"},
	{ENODEV, "this is a socket or a device that gives nothing to read", "a text file"},
	{ELOOP, "its symbolic links lead in a circle", "the path of the file itself"},
	{EFBIG, "it is larger than 16 MiB", "a file of 16 MiB at most"},
	{ENAMETOOLONG, "this path is too long", "a path of 4095 bytes at most, with names of 255 at most"},
};

_Static_assert(CONFIG_MAX_SIZE == 16 << 20, "the sentence says so");

int config_refuse_file(int error, struct refusal *refusal)
{
	for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
		if (troubles[i].error != -error)
			continue;
		refuse(refusal, error, "%s", troubles[i].what);
		refusal_right(refusal, "%s", troubles[i].right);
		return error;
	}
	refuse(refusal, error, "it cannot be read: %s", strerror(-error));
	refusal_right(refusal, "a text file");
	return error;
}

/* Documents -------------------------------------------------------------------------- */

/* The first thing the parser complained of is the cause of the others. */
static int refuse_syntax(struct fy_diag *diag, struct refusal *refusal)
{
	struct fy_diag_error *error;
	void *at = NULL;

	error = fy_diag_errors_iterate(diag, &at);
	if (!error || !error->msg)
		return refuse(refusal, -EINVAL, "this is not YAML");
	refuse(refusal, -EINVAL, "this is not YAML: %s", error->msg);
	refusal_where(refusal, "line %d, column %d", error->line, error->column);
	return -EINVAL;
}

static int refuse_empty(struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "the configuration is empty");
	refusal_right(refusal, "at least `version: 1` and a seed, as `holdfast seed` makes it");
	return -EINVAL;
}

static bool is_nothing(struct fy_node *node)
{
	size_t length = 0;

	if (!fy_node_is_scalar(node) || fy_node_is_alias(node))
		return false;
	return !fy_node_get_scalar(node, &length) || length == 0;
}

static int read_document(struct fy_document *document, json_t **ret, struct refusal *refusal)
{
	struct fy_node *root = document ? fy_document_root(document) : NULL;
	char path[PATH_SIZE];
	struct model *model;
	json_t *json;
	int error;

	if (!root || is_nothing(root))
		return refuse_empty(refusal);
	error = convert(root, &schema_root, NULL, &json, refusal);
	if (error < 0)
		return error;
	error = model_read(json, &model, path, refusal);
	if (error < 0) {
		place_path(root, path, refusal);
		json_decref(json);
		return error;
	}
	model_free(model);
	*ret = json;
	return 0;
}

static int parse_stream(struct fy_parser *parser, struct fy_diag *diag, json_t **ret, struct refusal *refusal)
{
	struct fy_document *document = fy_parse_load_document(parser), *second = NULL;
	int error;

	if (!document && fy_parser_get_stream_error(parser))
		return refuse_syntax(diag, refusal);
	error = read_document(document, ret, refusal);
	if (error == 0) {
		second = fy_parse_load_document(parser);
		if (second || fy_parser_get_stream_error(parser)) {
			json_decref(*ret);
			*ret = NULL;
			error = second ? refuse(refusal, -EINVAL, "there is more than one document")
				       : refuse_syntax(diag, refusal);
			if (second)
				refusal_right(refusal, "one document, without a second `---`");
		}
	}
	if (second)
		fy_parse_document_destroy(parser, second);
	if (document)
		fy_parse_document_destroy(parser, document);
	return error;
}

static int parse_text(const char *text, size_t length, json_t **ret, struct refusal *refusal)
{
	struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG};
	struct fy_diag_cfg diag_cfg;
	struct fy_parser *parser = NULL;
	struct fy_diag *diag;
	int error = -ENOMEM;

	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag_cfg.colorize = false;
	diag = fy_diag_create(&diag_cfg);
	if (!diag)
		return -ENOMEM;
	fy_diag_set_collect_errors(diag, true);
	cfg.diag = diag;
	parser = fy_parser_create(&cfg);
	if (parser && fy_parser_set_string(parser, text, length) == 0)
		error = parse_stream(parser, diag, ret, refusal);
	fy_parser_destroy(parser);
	fy_diag_destroy(diag);
	return error;
}

int config_parse(const char *text, size_t length, json_t **ret_configuration, struct refusal *refusal)
{
	json_t *configuration = NULL;
	int error;

	refuse(refusal, 0, "%s", "");
	if (length > CONFIG_MAX_SIZE)
		return config_refuse_file(-EFBIG, refusal);
	if (length == 0)
		return refuse_empty(refusal);
	error = check_text(text, length, refusal);
	if (error == 0)
		error = parse_text(text, length, &configuration, refusal);
	if (error == 0)
		*ret_configuration = configuration;
	return refusal_complete(refusal, error);
}
