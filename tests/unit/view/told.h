/* SPDX-License-Identifier: Apache-2.0 */
/* What a view tells. */
#pragma once

#include "../models.h"

/* Compares a view, which it drops, with JSON that has ' for ". */
__attribute__((unused)) static void assert_told(json_t *view, const char *expected)
{
	char *text = view ? json_dumps(view, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;

	assert_non_null(text);
	for (char *at = text; *at; at++)
		*at = *at == '"' ? '\'' : *at;
	assert_string_equal(text, expected);
	free(text);
	json_decref(view);
}
