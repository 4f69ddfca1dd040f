// SPDX-License-Identifier: Apache-2.0
#include "driver_drops.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "ethtool.h"

static bool has_any(const char *name, const char *const *words)
{
	for (; *words; words++) {
		if (strstr(name, *words))
			return true;
	}
	return false;
}

bool counts_losses(const char *name)
{
	static const char *const sent[] = {"xdp_tx", "xdp_xmit", "xdp_redirect", NULL};
	static const char *const lost[] = {"err", "drop", "fail", "full", NULL};
	const char *xdp = strstr(name, "xdp_");

	if (!xdp || !has_any(xdp, lost))
		return false;
	/* mlx5 calls what is redirected to it tx_xdp_full. */
	return has_any(xdp, sent) || !strncmp(xdp, "xdp_full", 8) ||
	       (!strncmp(xdp, "xdp_err", 7) && !strncmp(name, "tx", 2));
}

/* The name without the number of a queue or channel. */
static void name_whole(const char *name, char ret[ETHTOOL_NAME])
{
	size_t length = 0;

	for (; *name; name++) {
		if (!isdigit((unsigned char)*name))
			ret[length++] = *name;
	}
	ret[length] = '\0';
}

/* Of one queue, while the driver gives the sum of all queues too. */
static bool is_part(const struct ethtool_statistics *all, const char *name)
{
	char whole[ETHTOOL_NAME];

	name_whole(name, whole);
	if (!strcmp(whole, name))
		return false;
	for (size_t i = 0; i < all->count; i++) {
		if (!strcmp(all->names[i], whole))
			return true;
	}
	return false;
}

int losses_read(const char *interface, uint64_t *ret)
{
	struct ethtool_statistics all;
	uint64_t sum = 0;
	bool counted = false;
	int r = ethtool_statistics(interface, &all);

	if (r)
		return r;
	for (size_t i = 0; i < all.count; i++) {
		if (!counts_losses(all.names[i]) || is_part(&all, all.names[i]))
			continue;
		counted = true;
		sum += all.values[i];
	}
	ethtool_statistics_free(&all);
	if (!counted)
		return -EOPNOTSUPP;
	*ret = sum;
	return 0;
}
