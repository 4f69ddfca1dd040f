// SPDX-License-Identifier: Apache-2.0
/*
 * How `why` is sure to run the very program that is attached: the digest of the whole embedded object is
 * stored in the control map when its programs are loaded, and observing is refused unless it equals that of
 * the object that would be loaded for it. So both come from the same bytes, on the same maps; they differ by
 * one constant.
 */
#include "observer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include "kern/maps/state.h"
#include "lb.skel.h"
#include "load.h"

enum { OUT_ROOM = 512 };

/* Takes descriptors of its own: the object closes its own. */
static int observer_take(const struct lb *object, struct observer *ret)
{
	struct observer observer = {
		.prog = descriptor_copy(bpf_program__fd(object_program(object->obj, "xdp"))),
		.observation = descriptor_copy(bpf_map__fd(object->maps.observation)),
	};
	int r = observer.prog < 0 ? observer.prog : observer.observation;

	if (r >= 0) {
		*ret = observer;
		return 0;
	}
	descriptor_close(&observer.prog);
	descriptor_close(&observer.observation);
	return r;
}

static int observer_load(struct dataplane *dataplane, struct refusal *refusal)
{
	struct embedded embedded;
	int r = embedded_open(dataplane, &embedded);

	if (!r) {
		embedded.object->rodata->observing = true;
		r = bpf_program__set_autoload(object_program(embedded.object->obj, "xdp.frags"), false);
	}
	r = embedded_load(&embedded, r, refusal) ?: observer_take(embedded.object, &dataplane->observer);
	embedded_close(&embedded);
	return r;
}

/*
 * The kernel runs a program as if the packet came in by an interface only where that interface has a receive
 * queue ready (on veth: once native XDP is attached); elsewhere it runs it without.
 */
static int frame_run(int program, const void *frame, uint32_t length, uint32_t ifindex,
		     struct bpf_test_run_opts *options)
{
	struct xdp_md context = {.data_end = length, .ingress_ifindex = ifindex};

	options->data_in = frame;
	options->data_size_in = length;
	if (ifindex) {
		uint32_t room = options->data_size_out;

		options->ctx_in = &context;
		options->ctx_size_in = sizeof context;
		if (!bpf_prog_test_run_opts(program, options))
			return 0;
		options->ctx_in = NULL;
		options->ctx_size_in = 0;
		options->data_size_out = room;
	}
	return bpf_prog_test_run_opts(program, options) ? -errno : 0;
}

int dataplane_observe(struct dataplane *dataplane, const void *frame, uint32_t frame_length, uint32_t ifindex,
		      struct hf_observation *ret, uint32_t *ret_verdict, void *out, uint32_t *length,
		      struct refusal *refusal)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_out = out, .data_size_out = out ? *length : 0,
		    .repeat = 1);
	const struct hf_observation nothing = {};
	struct hf_observation found;
	uint32_t zero = 0;
	int observation, r;

	if (dataplane_outdated(dataplane)) {
		refuse(refusal, 0, "the loaded program is of another build than this one");
		refusal_right(refusal, "ask the holdfast that loaded it, or upgrade the program");
		return -ENOEXEC;
	}
	if (dataplane->observer.prog < 0) {
		r = observer_load(dataplane, refusal);
		if (r)
			return r;
	}
	observation = dataplane->observer.observation;
	if (bpf_map_update_elem(observation, &zero, &nothing, BPF_ANY))
		return -errno;
	r = frame_run(dataplane->observer.prog, frame, frame_length, ifindex, &options);
	if (r)
		return refuse(refusal, r, "the kernel does not run the program on this frame: %s",
			      strerror(-r));
	if (bpf_map_lookup_elem(observation, &zero, &found))
		return -errno;
	*ret = found;
	*ret_verdict = options.retval;
	if (length)
		*length = options.data_size_out;
	return 0;
}

static void answer_fill(struct dataplane *dataplane, const uint8_t *out, uint32_t length,
			struct flow_answer *answer)
{
	bool forwarded = answer->verdict == XDP_TX || answer->verdict == XDP_REDIRECT;

	if (!answer->seen.backend || dataplane_backend(dataplane, answer->seen.backend, &answer->entry))
		return;
	answer->wrapped = forwarded && frame_addresses(out, length, &answer->source, &answer->destination);
}

/* A flow that is remembered has an answer of its own; every other is asked for as a new one. */
int flow_ask(struct dataplane *dataplane, const struct flow_tuple *tuple, uint32_t ifindex,
	     struct flow_answer *ret, struct refusal *refusal)
{
	uint8_t frame[FRAME_ROOM], out[OUT_ROOM];
	struct flow_answer answer = {};
	bool remembered = false;
	uint32_t length = 0;

	for (int opening = 0; opening <= 1 && !remembered; opening++) {
		size_t size = frame_build(tuple, opening, frame);
		int r;

		length = sizeof out;
		r = dataplane_observe(dataplane, frame, (uint32_t)size, ifindex, &answer.seen,
				      &answer.verdict, out, &length, refusal);
		if (r)
			return r;
		remembered = answer.seen.backend && answer.seen.choice == HF_CHOICE_REMEMBERED;
	}
	answer_fill(dataplane, out, length, &answer);
	*ret = answer;
	return 0;
}
