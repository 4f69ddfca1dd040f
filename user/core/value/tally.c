/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

void tally_count(struct tally *tally, const struct hf_counters *counters, bool seen)
{
	if (seen)
		tally->seen = true;
	else
		tally->unseen = true;
	tally->total.packets += counters->packets;
	tally->total.bytes += counters->bytes;
	tally->total.flows += counters->flows;
}

json_t *tally_new_flows(const struct tally *tally, double share)
{
	return tally->unseen && !tally->seen ? json_null() : json_real(tally->flows * share);
}
