/* SPDX-License-Identifier: Apache-2.0 */
/* BPF objects: the verifier's words, programs by section, what the kernel tells of them; and descriptors. */
#pragma once

#include <bpf/libbpf.h>

#include "core/value/refusal.h"

/* Options for SKELETON__open_opts() that keep the verifier's log. */
struct object_log {
	struct bpf_object_open_opts options;
	char *text;
};

int object_log_open(struct object_log *log);
void object_log_close(struct object_log *log);
/* Fills the refusal with why loading failed with error; returns -EPERM, -ENOMEM, or -ENOEXEC for all else. */
int object_log_refuse(struct object_log *log, int error, struct refusal *refusal);

struct bpf_program *object_program(const struct bpf_object *object, const char *section); /* NULL: none */
/* What the kernel tells of a map, a program or a link (a descriptor): struct bpf_map_info and the like. */
int object_info(int fd, void *info, size_t size);
/* The number of a map, a program or a link (a descriptor); 0: it tells none. */
uint32_t object_number(int fd);
/* The number of a loaded program (a descriptor), and the kernel's tag; ret_tag NULL: not asked for. */
int program_describe(int fd, uint32_t *ret_id, char ret_tag[17]);

int descriptor_copy(int fd);    /* close-on-exec; or a negative errno */
void descriptor_close(int *fd); /* and makes it -1; nothing if it is negative */
