// SPDX-License-Identifier: Apache-2.0
#include "offline.h"

#include <arpa/inet.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/complain.h"
#include "kern/instance/lifecycle.h"

/* Names for the numbers, or an empty model and ledger and a warning. */
static int read_names(struct offline *offline, struct refusal *warning)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s.db", offline->call->state_dir, offline->call->instance);
	if (!stored_read(path, &offline->generation, &offline->model, &offline->ledger, warning))
		return 0;
	offline->model = model_new(1);
	offline->ledger = ledger_new();
	refusal_right(warning, "names are shown as numbers (--state-dir tells where the database is)");
	return offline->model && offline->ledger ? 0 : -ENOMEM;
}

/* Why the daemon would refuse to start. */
static int check_names(struct offline *offline, struct refusal *warning)
{
	int r = read_names(offline, warning);

	if (!r && warning->what[0]) {
		offline->unknown = *warning;
	} else if (!r &&
		   ledger_knows(offline->ledger, offline->loaded, &offline->unknown) == -ENOTRECOVERABLE) {
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
	if (!r)
		r = dataplane_read(offline.dataplane, &offline.loaded);
	if (!r)
		r = check_names(&offline, &warning);
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
	json_decref(offline->generation);
	model_free(offline->model);
	ledger_free(offline->ledger);
}

const char *offline_pool_name(const struct offline *offline, uint32_t pool, char text[LABEL_TEXT])
{
	const char *name;

	if (ledger_pool_name(offline->ledger, pool, &name))
		snprintf(text, LABEL_TEXT, "%s", name);
	else
		snprintf(text, LABEL_TEXT, "#%u", pool);
	return text;
}

void offline_backend_names(const struct offline *offline, uint16_t number, const char **ret_pool,
			   const char **ret_name, char text[LABEL_TEXT])
{
	struct address address;

	if (ledger_backend_name(offline->ledger, number, ret_pool, ret_name, &address)) {
		*ret_name = model_label(offline->model, *ret_pool, *ret_name, &address, text);
		return;
	}
	snprintf(text, LABEL_TEXT, "#%u", number);
	*ret_pool = "#";
	*ret_name = text;
}

/* By its keys: those of a range of ports are its parts, without gaps. */
static const char *keys_text(const struct directory *directory, const struct hf_service *service,
			     char text[LABEL_TEXT])
{
	const struct hf_service_key *key = &service->key;
	struct address vip = {.family = hf_kind_family(key->kind)};
	uint16_t low = UINT16_MAX, high = 0;
	char endpoint[ENDPOINT_TEXT];

	for (uint32_t i = 0; i < 1u << directory->log2; i++) {
		const struct hf_service *part = &directory->entries[i];
		uint16_t first = ntohs(part->key.port), last = hf_kind_last_port(part->key.kind, first);

		if (!part->key.proto || part->key.proto == HF_PROTO_VIP || part->number != service->number)
			continue;
		low = first < low ? first : low;
		high = last > high ? last : high;
	}
	memcpy(vip.bytes, key->addr, vip.family == HF_IPV4 ? 4 : 16);
	snprintf(text, LABEL_TEXT, "%s %s", proto_name(key->proto), endpoint_text(&vip, low, high, endpoint));
	return text;
}

const char *offline_service_name(const struct offline *offline, const struct hf_service *service,
				 char text[LABEL_TEXT])
{
	uint32_t counters, ordinals;
	char endpoint[ENDPOINT_TEXT];

	for (size_t i = 0; i < offline->model->service_count; i++) {
		const struct service *named = &offline->model->services[i];

		if (ledger_service(offline->ledger, named, &counters, &ordinals) != service->number)
			continue;
		snprintf(text, LABEL_TEXT, "%s %s", proto_name(named->proto),
			 endpoint_text(&named->vip, named->port_low, named->port_high, endpoint));
		return text;
	}
	return keys_text(&offline->loaded->directory, service, text);
}
