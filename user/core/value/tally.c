/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

json_t *tally_new_flows(const struct tally *tally, double share)
{
	return tally->unseen && !tally->seen ? json_null() : json_real(tally->flows * share);
}
