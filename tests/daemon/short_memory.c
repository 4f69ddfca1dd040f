// SPDX-License-Identifier: Apache-2.0
/*
 * Preloaded into a daemon: the file named by SHORT_MEMORY holds a number that counts down with each
 * allocation. At 1 it stops, and allocations fail until a test writes another number. At 0 none fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static int *left;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("SHORT_MEMORY");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *mapped =
		fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *left, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (mapped != MAP_FAILED)
		left = mapped;
}

static int is_short(void)
{
	if (!left || !*left)
		return 0;
	if (*left > 1)
		--*left;
	else if (*left < 0)
		++*left;
	if (*left > 1 || *left < 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return is_short() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return is_short() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	return is_short() ? NULL : __libc_realloc(memory, size);
}
