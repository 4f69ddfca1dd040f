/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every key that configuration files, operations and stored models share, in one table a kind of object. The
 * reader and the writer of files, the operations' arguments, and holdfast.yaml(5) all come from it.
 */
#pragma once

#include "core/schema/schema.h"

extern const struct schema schema_root, schema_interface, schema_pool, schema_service, schema_backend,
	schema_history, schema_removal;
