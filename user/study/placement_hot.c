// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/study/hot.h"
#include "core/value/list.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/file.h"
#include "cli/frame/show.h"
#include "figure.h"
#include "placement_study.h"
#include "placement_verbs.h"

struct counts {
	struct key_count *keys;
	size_t count, room;
};

/*
 * "KEY COUNT", as this program prints flows, or "COUNT KEY" as uniq -c does; a key alone counts once. Splits
 * the line where it stands.
 */
static struct key_count line_read(char *line)
{
	struct key_count key = {.count = 1};
	char *end, *last;

	line += strspn(line, " \t");
	for (end = line + strlen(line); end > line && isspace((unsigned char)end[-1]); end--)
		end[-1] = '\0';
	key.key = line;
	last = strrchr(line, ' ');
	last = last && strrchr(last, '\t') ? strrchr(last, '\t') : last ? last : strrchr(line, '\t');
	if (!last)
		return key;
	if (strspn(last + 1, "0123456789") == strlen(last + 1)) {
		key.count = strtoull(last + 1, NULL, 10);
		while (last > line && isspace((unsigned char)*last))
			*last-- = '\0';
	} else if (strspn(line, "0123456789")) {
		key.count = strtoull(line, &end, 10);
		if (isspace((unsigned char)*end))
			key.key = end + strspn(end, " \t");
		else
			key.count = 1;
	}
	return key;
}

static int counts_read(char *text, struct counts *ret)
{
	for (char *at = NULL, *line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		struct key_count key = line_read(line), *keys;

		if (!*key.key || *key.key == '#')
			continue;
		keys = list_grow(ret->keys, ret->count, &ret->room, sizeof *keys);
		if (!keys)
			return -ENOMEM;
		ret->keys = keys;
		ret->keys[ret->count++] = key;
	}
	return 0;
}

static void heat_print(const struct counts *counts, const struct heat *heat, size_t members, double factor)
{
	const char *hottest = counts->keys[heat->hottest].key;

	show_format("keys", "%zu, %llu requests", counts->count, (unsigned long long)heat->total);
	show_format("hottest", "%s, %.1f%% of all", hottest, 100 * heat->share);
	show_format("as placed", "the busiest of %zu members has %.2f times the mean", members, heat->now);
	show_format("at best", "%.2f times the mean: no placement of whole keys gets below", heat->best);
	show_format("split", "%s#0 to %s#%zu reach %zu of %zu members: %.2f times the mean", hottest, hottest,
		    heat->shards - 1, heat->reached, members, heat->split);
	show_format("bounded",
		    "%.2f times the mean with a load factor of %.2f, at the price of keys on several members",
		    heat->bounded, factor);
}

static enum exit_status heat_show(const struct call *call, const struct placement *placement,
				  const struct counts *counts, size_t shards, double factor)
{
	struct refusal refusal = {.what = ""};
	struct heat heat;
	int error = heat_measure(placement, counts->keys, counts->count, shards, factor, &heat);

	if (error == -EINVAL) {
		refuse(&refusal, error, "there are no counts");
		refusal_right(&refusal, "lines of KEY COUNT, or of COUNT KEY as from uniq -c");
	}
	if (error)
		return complain(STATUS_REFUSED, &refusal, error);
	if (call->json)
		figures_print_json(json_pack(
			"{s:I,s:I,s:s,s:f,s:f,s:f,s:I,s:I,s:f,s:f,s:f}", "keys", (json_int_t)counts->count,
			"requests", (json_int_t)heat.total, "hottest", counts->keys[heat.hottest].key,
			"hottest_share", heat.share, "as_placed", heat.now, "best", heat.best, "shards",
			(json_int_t)heat.shards, "members_reached", (json_int_t)heat.reached, "split",
			heat.split, "load_factor", factor, "bounded", heat.bounded));
	else
		heat_print(counts, &heat, placement_members(placement), factor);
	return STATUS_DONE;
}

enum exit_status placement_hot(const struct call *call)
{
	struct counts counts = {NULL, 0, 0};
	struct placement *placement = NULL;
	enum exit_status status;
	struct study study;
	char *text = NULL;
	double factor = 1.25;
	size_t length;

	status = study_fraction(call, "load-factor", 1, &factor);
	if (status)
		return status;
	status = study_open(call, &study);
	if (status)
		return status;
	status = study_build(&study, study_scheme(call, PLACEMENT_MAGLEV), false, &placement);
	status = status ?: file_read(call_argument(call, 0), &text, &length);
	if (!status && counts_read(text, &counts))
		status = complain_memory();
	status = status ?: heat_show(call, placement, &counts, study_number(call, "shards", 10), factor);
	free(counts.keys);
	free(text);
	placement_free(placement);
	study_close(&study);
	return status;
}
