/* SPDX-License-Identifier: Apache-2.0 */
/* What the numbers in the data plane are called. Those that the ledger does not know are called "#3". */
#pragma once

#include "core/image/image.h"

/* Who knows the names. */
struct names {
	const struct ledger *ledger;
	const struct model *model;
};

/* All but the first return text. */
enum { NUMBER_NAME = 2 * NAME_SIZE + ENDPOINT_TEXT };
/* Pool, and what the backend is called in it; text holds the latter, where *ret_name points to. */
void backend_number_names(const struct names *names, uint16_t number, const char **ret_pool,
			  const char **ret_name, char text[NUMBER_NAME]);
/* "db/db1" */
const char *backend_number_name(const struct names *names, uint16_t number, char text[NUMBER_NAME]);
const char *pool_number_name(const struct names *names, uint32_t number, char text[NUMBER_NAME]);
/* The service of that number, all but its pool, by what the directory says. False: it has none. */
bool directory_service(const struct directory *directory, uint16_t number, struct service *ret);
