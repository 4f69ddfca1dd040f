/* SPDX-License-Identifier: Apache-2.0 */
#include "steady_clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"

/* The kernel's id of this boot; "" where it gives none. */
static void boot_read(char ret[BOOT_ID])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, ret, BOOT_ID - 1);

	if (fd >= 0)
		close(fd);
	ret[length > 0 ? length : 0] = '\0';
	ret[strcspn(ret, "\n ")] = '\0';
}

void steady_clock_note(struct steady_clock *clock, struct store *store)
{
	struct refusal refusal = {0};
	char text[STEADY_TEXT];

	clock->noted_at = clock_monotonic();
	steady_note(&clock->steady, clock->noted_at, text);
	if (store_setting_set(store, "clock", text, &refusal))
		log_refusal(LOG_LEVEL_WARNING, "the instance's clock is not noted", &refusal);
}

void steady_clock_begin(struct steady_clock *clock, struct store *store)
{
	char *noted = store_setting(store, "clock"), boot[BOOT_ID];

	boot_read(boot);
	clock->noted_at = clock_monotonic();
	/* What goes on as it was noted needs no other note yet. */
	if (!steady_begin(&clock->steady, noted, boot, clock->noted_at, clock_unix()))
		steady_clock_note(clock, store);
	free(noted);
}

int64_t steady_clock_now(const struct steady_clock *clock)
{
	return steady_at(&clock->steady, clock_monotonic());
}

int64_t steady_clock_wall(const struct steady_clock *clock, int64_t stamp)
{
	return stamp_move(stamp, clock_unix() - steady_clock_now(clock));
}
