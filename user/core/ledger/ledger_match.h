/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the data plane's directory, compared with a model's services. */
#ifndef HOLDFAST_LEDGER_MATCH_H
#define HOLDFAST_LEDGER_MATCH_H

#include "core/image/image.h"

/* Whether packets that find the entry are the service's. */
bool service_has_entry(const struct service *service, const struct hf_service_key *key);
/* Else it is empty, or a VIP's. */
bool entry_is_service(const struct hf_service *entry);
uint32_t directory_size(const struct directory *directory);

#endif
