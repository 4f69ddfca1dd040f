/* SPDX-License-Identifier: Apache-2.0 */
#include "boot.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void boot_read(char ret[BOOT_ID])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, ret, BOOT_ID - 1);

	if (fd >= 0)
		close(fd);
	ret[length > 0 ? length : 0] = '\0';
	ret[strcspn(ret, "\n ")] = '\0';
}
