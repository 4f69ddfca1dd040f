/* SPDX-License-Identifier: Apache-2.0 */
#include "view.h"

void tally_add(json_t *view, const struct tally *tally)
{
	bool blind = tally->unseen && !tally->seen;

	json_object_set_new(view, "new_per_second",
			    tally->flows < 0 ? json_null() : tally_new_flows(tally, 1));
	json_object_set_new(view, "packets_per_second", known_real(tally->packets));
	json_object_set_new(view, "bits_per_second", known_real(tally->bytes * 8));
	json_object_set_new(view, "packets", json_integer(tally->total.packets));
	json_object_set_new(view, "bytes", json_integer(tally->total.bytes));
	json_object_set_new(view, "flows", blind ? json_null() : json_integer(tally->total.flows));
	json_object_set_new(view, "flows_unseen", json_boolean(tally->unseen));
}

json_t *reasons_view(const struct tally reasons[HF_REASON_LIMIT])
{
	static const struct {
		unsigned int number;
		const char *word, *verdict;
	} rows[] = {
#define PASS                                     "pass"
#define DROP                                     "drop"
#define X(name, number, word, verdict, sentence) {number, word, verdict},
		HF_REASONS(X)
#undef X
#undef PASS
#undef DROP
	};
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct tally *tally = &reasons[rows[i].number];

		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:o}", "reason", rows[i].word,
						      "verdict", rows[i].verdict, "packets",
						      (json_int_t)tally->total.packets, "bytes",
						      (json_int_t)tally->total.bytes, "packets_per_second",
						      known_real(tally->packets)));
	}
	return list;
}

json_t *counters_view(json_t *reasons, json_t *services, json_t *backends, json_t *interfaces)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "reasons", reasons, "services", services, "backends",
			 backends, "interfaces", interfaces);
}
