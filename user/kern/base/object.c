// SPDX-License-Identifier: Apache-2.0
#include "object.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERIFIER_LOG = 1 << 20, LAST_LINES = 3 };

static int silence(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

int object_log_open(struct object_log *log)
{
	libbpf_set_print(silence); /* what went wrong is returned, not printed */
	log->text = calloc(1, VERIFIER_LOG);
	if (!log->text)
		return -ENOMEM;
	log->options = (struct bpf_object_open_opts){
		.sz = sizeof log->options,
		.kernel_log_buf = log->text,
		.kernel_log_size = VERIFIER_LOG,
	};
	return 0;
}

void object_log_close(struct object_log *log)
{
	free(log->text);
	log->text = NULL;
}

/* The verdict stands in the last lines; the statistics after it say nothing. */
static const char *last_words(char *text)
{
	char *end = strstr(text, "\nprocessed "), *start;

	if (end)
		*end = '\0';
	start = text + strlen(text);
	for (int lines = LAST_LINES; start > text && lines; start--)
		lines -= start[-1] == '\n';
	start += strspn(start, "\n");
	for (char *c = start; *c; c++) {
		if (*c == '\n')
			*c = ' ';
	}
	return start;
}

int object_log_refuse(struct object_log *log, int error, struct refusal *refusal)
{
	const char *words = last_words(log->text);

	refuse(refusal, 0, "the kernel refuses the program: %s", *words ? words : strerror(-error));
	refusal_right(refusal, error == -EPERM ? "run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON"
					       : "Linux 6.1 or newer");
	return error == -EPERM || error == -ENOMEM ? error : -ENOEXEC;
}

struct bpf_program *object_program(const struct bpf_object *object, const char *section)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
	{
		if (!strcmp(bpf_program__section_name(program), section))
			return program;
	}
	return NULL;
}

int object_info(int fd, void *info, size_t size)
{
	uint32_t length = (uint32_t)size;

	memset(info, 0, size);
	return bpf_obj_get_info_by_fd(fd, info, &length) ? -errno : 0;
}

int program_describe(int fd, uint32_t *ret_id, char ret_tag[17])
{
	struct bpf_prog_info info;
	int r = object_info(fd, &info, sizeof info);

	if (r)
		return r;
	*ret_id = info.id;
	for (int i = 0; ret_tag && i < BPF_TAG_SIZE; i++)
		snprintf(&ret_tag[2 * i], 3, "%02x", info.tag[i]);
	return 0;
}

uint32_t object_number(int fd)
{
	struct {
		uint32_t type, id;
	} info;

	return object_info(fd, &info, sizeof info) ? 0 : info.id;
}

int descriptor_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

void descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
