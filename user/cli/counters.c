// SPDX-License-Identifier: Apache-2.0
/* counters: two samples, and how fast each figure grew between them. */
#include <string.h>
#include <time.h>

#include "core/value/duration.h"
#include "kern/base/driver_drops.h"
#include "kern/preflight/preflight.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/moment.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "cli/offline/offline.h"
#include "nouns.h"

static const struct column reason_columns[] = {
	{"REASON", "reason", text_cell},
	{"VERDICT", "verdict", text_cell},
	{">PACKETS", "packets", field_count},
	{">BYTES", "bytes", field_count},
	{">PPS", "packets_per_second", field_quantity},
	{.header = NULL},
};

/* clang-format off */
#define FLOWS \
	{">FLOWS", "flows", field_new_flows}, \
	{">NEW/S", "new_per_second", field_new_flows}, \
	{">PACKETS", "packets", field_count}, \
	{">PPS", "packets_per_second", field_quantity}, \
	{">BYTES", "bytes", field_count}, \
	{">BPS", "bits_per_second", field_quantity}
/* clang-format on */

static const struct column service_columns[] = {{"SERVICE", "service", text_cell}, FLOWS, {.header = NULL}};
static const struct column backend_columns[] = {{"BACKEND", "name", backend_cell}, FLOWS, {.header = NULL}};

static const struct column interface_columns[] = {
	{"INTERFACE", "name", text_cell},
	{"MODE", "mode", text_cell},
	{"STATE", "state", text_cell},
	{">RX-PACKETS", "rx_packets", field_count},
	{">RX-PPS", "rx_packets_per_second", field_quantity},
	{">RX-BPS", "rx_bits_per_second", field_quantity},
	{">RX-DROPPED", "rx_dropped", field_count},
	{">TX-PACKETS", "tx_packets", field_count},
	{">TX-PPS", "tx_packets_per_second", field_quantity},
	{">TX-BPS", "tx_bits_per_second", field_quantity},
	{">SENT-LOST", "sent_lost", field_count},
	{">LOST-PPS", "sent_lost_per_second", field_quantity},
	{.header = NULL},
};

static void counters_print(const json_t *counters)
{
	show_table(json_object_get(counters, "reasons"), reason_columns);
	show_table(json_object_get(counters, "services"), service_columns);
	show_table(json_object_get(counters, "backends"), backend_columns);
	show_table(json_object_get(counters, "interfaces"), interface_columns);
}

/* Whether two samples' members are of one thing: the same texts under the keys that name things. */
static bool same_thing(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"reason", "service", "pool", "name"};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (strcmp(field_text(a, keys[i]), field_text(b, keys[i])))
			return false;
	}
	return true;
}

static void rate_between(json_t *after, const json_t *before, const char *count, const char *rate,
			 double scale)
{
	double grown = field_number(after, count) - field_number(before, count);

	/* What is counted only since the first sample has not grown from 0. */
	if (!field_is_null(after, count) && !field_is_null(before, count))
		json_object_set_new(after, rate, json_real(grown > 0 ? grown * scale : 0));
}

static void rates_between(json_t *after, const json_t *before, double seconds)
{
	rate_between(after, before, "packets", "packets_per_second", 1 / seconds);
	rate_between(after, before, "bytes", "bits_per_second", 8 / seconds);
	rate_between(after, before, "flows", "new_per_second", 1 / seconds);
	rate_between(after, before, "rx_packets", "rx_packets_per_second", 1 / seconds);
	rate_between(after, before, "rx_bytes", "rx_bits_per_second", 8 / seconds);
	rate_between(after, before, "tx_packets", "tx_packets_per_second", 1 / seconds);
	rate_between(after, before, "tx_bytes", "tx_bits_per_second", 8 / seconds);
	rate_between(after, before, "sent_lost", "sent_lost_per_second", 1 / seconds);
}

/* Sets the rates of what is in both samples to what it grew by in that many seconds. */
static void counters_rate(json_t *after, const json_t *before, double seconds)
{
	const char *kind;
	json_t *list, *object;
	size_t i;

	json_object_foreach (after, kind, list) {
		const json_t *earlier = json_object_get(before, kind);

		json_array_foreach (list, i, object) {
			/* Things keep their order; one that came or went between leaves the rest without a
			 * rate. */
			if (json_is_object(object) && same_thing(object, json_array_get(earlier, i)))
				rates_between(object, json_array_get(earlier, i), seconds);
		}
	}
}

/* null where the driver counts no such losses. */
static json_t *losses_json(const char *interface)
{
	uint64_t lost;

	return losses_read(interface, &lost) ? json_null() : json_integer((json_int_t)lost);
}

/* The data plane counts no interfaces; the kernel does, also of those that only send. */
static void add_interfaces(json_t *counters)
{
	json_t *interface;
	size_t i;

	json_array_foreach (json_object_get(counters, "interfaces"), i, interface) {
		struct interface_counters kernel;

		if (interface_counters(field_text(interface, "name"), &kernel))
			continue;
		json_object_update_new(interface, json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "rx_packets",
							    (json_int_t)kernel.rx_packets, "rx_bytes",
							    (json_int_t)kernel.rx_bytes, "rx_dropped",
							    (json_int_t)kernel.rx_dropped, "tx_packets",
							    (json_int_t)kernel.tx_packets, "tx_bytes",
							    (json_int_t)kernel.tx_bytes, "sent_lost",
							    losses_json(field_text(interface, "name"))));
	}
}

/* One sample; new reference. */
static enum exit_status sample(const struct call *call, const struct offline *offline, json_t **ret)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status;

	if (offline) {
		*ret = offline_counters(offline);
		status = *ret ? STATUS_DONE : complain_memory();
	} else {
		status = request_get(call, "/v1/counters", NULL, &answer);
		*ret = json_incref(answer.json);
	}
	add_interfaces(*ret);
	answer_free(&answer);
	return status;
}

static enum exit_status counters_take(const struct call *call, const struct offline *offline,
				      uint32_t interval)
{
	json_t *before = NULL, *after = NULL;
	double began = monotonic_seconds();
	enum exit_status status = sample(call, offline, &after);

	if (!status && interval) {
		struct timespec wait = {.tv_sec = interval};

		before = after;
		after = NULL;
		nanosleep(&wait, NULL);
		began = monotonic_seconds() - began;
		status = sample(call, offline, &after);
		if (!status)
			counters_rate(after, before, began);
	}
	json_decref(before);
	return status ?: show_view(call, after, counters_print);
}

static enum exit_status run_counters(const struct call *call)
{
	const char *text = call_option(call, "interval");
	struct offline offline;
	enum exit_status status;
	uint32_t interval = 1;

	if (text)
		duration_parse(text, &interval);
	if (!call->offline)
		return counters_take(call, NULL, interval);
	status = offline_open(call, &offline);
	if (status)
		return status;
	status = counters_take(call, &offline, interval);
	offline_close(&offline);
	return status;
}

/* clang-format off */
const struct noun counters_noun = {"counters", "what happened to packets, and how fast", .verbs = VERBS(
	{"",
	 .options = OPTIONS(OPTION("interval", VALUE_DURATION, "D", "take two samples this far apart, for the rates",
	                           .local = true)),
	 .help = "count packets by reason, service, backend and interface",
	 .example = "--interval 5s",
	 .uses = "GET /v1/counters",
	 .details = "Takes two samples, a second apart unless --interval says otherwise; with --interval 0 one, and "
	            "the rates are the daemon's own. Interfaces are counted by the kernel. SENT-LOST is what "
	            "the driver dropped of packets that were forwarded, or - if it does not count that. FLOWS and NEW/S "
	            "are - for a UDP service, unless `service set` gives it --track always: only then are its flows "
	            "seen to begin. A backend has 12+ if its pool also has such a service.",
	 .flags = VERB_WORKS_OFFLINE,
	 .run = run_counters})};
/* clang-format on */
