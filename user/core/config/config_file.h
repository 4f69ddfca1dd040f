/* SPDX-License-Identifier: Apache-2.0 */
/* Words for a configuration file that cannot be read. Whoever reads it hands in what the kernel said. */
#ifndef HOLDFAST_CONFIG_FILE_H
#define HOLDFAST_CONFIG_FILE_H

#include "core/value/refusal.h"

/* Returns error, a negative errno of open(2) or read(2). -EISDIR for a directory, -ENXIO for a socket. The
 * caller says where: it knows the file's name. */
int config_refuse_file(int error, struct refusal *refusal);

#endif
