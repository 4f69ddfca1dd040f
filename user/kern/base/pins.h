/* SPDX-License-Identifier: Apache-2.0 */
/* Pins: paths below /sys/fs/bpf/holdfast, where an instance lives on without a process. */
#pragma once

#include "core/value/refusal.h"

#define BPFFS "/sys/fs/bpf"
#define PINS  BPFFS "/holdfast"

enum { PIN_PATH = 256, PIN_NAME = 64 };

/*
 * bpffs keeps names with a dot for itself; interfaces and instances may have one, but never a colon. Both
 * fill name and return it.
 */
const char *pin_encode(const char *plain, char name[PIN_NAME]);
const char *pin_decode(const char *pinned, char name[PIN_NAME]);

/* Mounts bpffs where it is missing. */
int pins_mount(struct refusal *refusal);
/* printf-fashion below /sys/fs/bpf/holdfast; returns path. */
__attribute__((format(printf, 2, 3))) const char *pin_path(char path[PIN_PATH], const char *format, ...);
/* PINS/INSTANCE/WHAT; what NULL: the instance's directory. Returns path. */
const char *instance_path(const char *instance, const char *what, char path[PIN_PATH]);
int pins_make_directory(const char *path); /* and those above it; 0 if it is there */
/* Returns error, for a path at which nothing can be pinned. */
int pins_refuse(int error, const char *path, struct refusal *refusal);
int pin_put(int fd, const char *path); /* replaces what was pinned there */
int pin_get(const char *path);         /* a descriptor, close-on-exec */
/* Removes a directory of pins and all below it, two levels deep. 0 if there is none. */
int pins_remove(const char *path);
/* Calls visit with each name in a directory until it returns non-zero, which is returned. -ENOENT: none. */
int pins_each(const char *path, int (*visit)(const char *name, void *context), void *context);
