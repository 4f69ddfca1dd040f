// SPDX-License-Identifier: Apache-2.0
#include "offline.h"

#include <errno.h>

#include "cli/frame/complain.h"
#include "core/adoption/adoption.h"
#include "kern/instance/lifecycle.h"

/* Names for the numbers, or an empty model and ledger and a warning. */
static int read_names(struct offline *offline, struct refusal *warning)
{
	struct stored *stored = &offline->stored;

	if (stored_read(offline->call, stored, warning)) {
		*stored = (struct stored){.model = model_new(1), .ledger = ledger_new()};
		refusal_right(warning,
			      "names are shown as numbers (--state-dir tells where the database is)");
	}
	offline->names = (struct names){stored->ledger, stored->model};
	return stored->model && stored->ledger ? 0 : -ENOMEM;
}

/* Why the daemon would refuse to start. */
static int check_names(struct offline *offline, struct refusal *warning)
{
	int r = read_names(offline, warning);

	if (!r && warning->what[0]) {
		offline->unknown = *warning;
	} else if (!r && ledger_knows(offline->stored.ledger, offline->loaded, &offline->unknown) ==
				 -ENOTRECOVERABLE) {
		refusal_where(&offline->unknown, "%s/%s.db", offline->call->state_dir,
			      offline->call->instance);
		*warning = offline->unknown;
	}
	return r;
}

enum exit_status offline_open(const struct call *call, struct offline *ret)
{
	struct offline offline = {.call = call};
	struct refusal refusal = {.what = ""}, warning = {.what = ""};
	int r = dataplane_inspect(call->instance, &offline.dataplane, &refusal);

	if (r == -ENOENT) {
		refuse(&refusal, r, "instance %.64s has no pins: nothing is loaded", call->instance);
		refusal_where(&refusal, "/sys/fs/bpf/holdfast/%.64s", call->instance);
		refusal_right(&refusal, "the name of a loaded instance (--instance), or start holdfastd");
	}
	r = r ?: dataplane_read(offline.dataplane, &offline.loaded);
	r = r ?: check_names(&offline, &warning);
	if (r) {
		offline_close(&offline);
		return complain(STATUS_REFUSED, &refusal, r);
	}
	warn_about(&warning);
	*ret = offline;
	return STATUS_DONE;
}

void offline_close(struct offline *offline)
{
	image_free(offline->loaded);
	dataplane_close(offline->dataplane);
	stored_release(&offline->stored);
}
