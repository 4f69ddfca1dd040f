// SPDX-License-Identifier: Apache-2.0
#include "receiver_tc.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include "kern/base/netlink.h"

/*
 * The handle is ours alone. A priority belongs to one kind of filter, so where another kind has the first,
 * the next is taken. The lower the number, the earlier a filter sees a packet.
 */
enum { TC_HANDLE = 0x686f6c64 /* "hold" */, TC_FIRST_PRIORITY = 1, TC_LAST_PRIORITY = 16 };

static struct bpf_tc_hook hook_of(uint32_t ifindex, enum bpf_tc_attach_point point)
{
	libbpf_set_print(NULL); /* it tells the kernel's words to stderr */
	return (struct bpf_tc_hook){
		.sz = sizeof(struct bpf_tc_hook), .ifindex = (int)ifindex, .attach_point = point};
}

/* Returns the filter's priority, or -ENOENT. */
static int filter_find(const struct bpf_tc_hook *hook, uint32_t *ret_program)
{
	for (uint32_t priority = TC_FIRST_PRIORITY; priority <= TC_LAST_PRIORITY; priority++) {
		LIBBPF_OPTS(bpf_tc_opts, options, .handle = TC_HANDLE, .priority = priority);

		if (bpf_tc_query(hook, &options))
			continue;
		if (ret_program)
			*ret_program = options.prog_id;
		return (int)priority;
	}
	return -ENOENT;
}

static int filter_put(const struct bpf_tc_hook *hook, int program)
{
	int there = filter_find(hook, NULL), r = -EBUSY;
	uint32_t first = there > 0 ? there : TC_FIRST_PRIORITY, last = there > 0 ? there : TC_LAST_PRIORITY;

	for (uint32_t priority = first; priority <= last; priority++) {
		LIBBPF_OPTS(bpf_tc_opts, options, .handle = TC_HANDLE, .priority = priority,
			    .prog_fd = program, .flags = BPF_TC_F_REPLACE);

		r = bpf_tc_attach(hook, &options);
		if (!r || r == -EPERM || r == -ENODEV || r == -ENOMEM)
			break;
	}
	return r;
}

/* Visits the filters in the order in which packets meet them. */
static int filters_visit(uint32_t ifindex, uint32_t parent,
			 int (*visit)(const struct nlmsghdr *answer, void *context), void *context)
{
	struct netlink *netlink;
	struct nlmsghdr *request;
	struct tcmsg *message;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	request = netlink_request(netlink, RTM_GETTFILTER, NLM_F_DUMP);
	message = mnl_nlmsg_put_extra_header(request, sizeof *message);
	message->tcm_ifindex = (int)ifindex;
	message->tcm_parent = TC_H_MAKE(TC_H_CLSACT, parent);
	r = netlink_ask(netlink, request, visit, context, NULL);
	netlink_close(netlink);
	return r;
}

static int filter_seen(const struct nlmsghdr *answer, void *context)
{
	(void)answer;
	*(bool *)context = true;
	return 0;
}

/* Whether the qdisc has a filter at ingress or egress. When in doubt it has. */
static bool qdisc_is_used(uint32_t ifindex)
{
	bool used = false;

	return filters_visit(ifindex, TC_H_MIN_INGRESS, filter_seen, &used) ||
	       filters_visit(ifindex, TC_H_MIN_EGRESS, filter_seen, &used) || used;
}

/* Handle 0 stands for all filters of a priority. */
static int filter_first(const struct nlmsghdr *answer, void *context)
{
	const struct tcmsg *message = mnl_nlmsg_get_payload(answer);
	uint32_t *first = context;

	if (!*first)
		*first = message->tcm_handle;
	return 0;
}

/* Since Linux 6.6 programs can be attached without a qdisc. All of them come before its filters. */
static bool has_tcx(uint32_t ifindex)
{
	enum { TCX_INGRESS = 46 }; /* enum bpf_attach_type of these kernels */
	uint32_t programs[64], count = sizeof programs / sizeof *programs;
	int r = bpf_prog_query((int)ifindex, (enum bpf_attach_type)TCX_INGRESS, 0, NULL, programs, &count);

	return (!r && count) || r == -ENOSPC;
}

bool tc_is_first(uint32_t ifindex)
{
	uint32_t first = 0;

	return !has_tcx(ifindex) && !filters_visit(ifindex, TC_H_MIN_INGRESS, filter_first, &first) &&
	       first == TC_HANDLE;
}

static void qdisc_remove(uint32_t ifindex)
{
	struct bpf_tc_hook whole = hook_of(ifindex, BPF_TC_INGRESS | BPF_TC_EGRESS);

	if (!qdisc_is_used(ifindex))
		bpf_tc_hook_destroy(&whole);
}

int tc_put(uint32_t ifindex, int program, bool *ret_qdisc_made, struct refusal *refusal)
{
	struct bpf_tc_hook hook = hook_of(ifindex, BPF_TC_INGRESS);
	int made = bpf_tc_hook_create(&hook), r;

	r = made == -EEXIST ? 0 : made;
	if (!r) {
		r = filter_put(&hook, program);
		if (r && !made)
			qdisc_remove(ifindex);
	}
	if (!r) {
		*ret_qdisc_made = !made;
		return 0;
	}
	refuse(refusal, 0, "the tc program that sends packets to the next hop cannot be attached: %s",
	       strerror(-r));
	refusal_right(refusal,
		      r == -EPERM ? "run as root, or with CAP_NET_ADMIN and CAP_BPF"
				  : "a kernel with clsact and bpf filters: modprobe -a sch_ingress cls_bpf");
	return r;
}

int tc_take_away(uint32_t ifindex, bool qdisc_made)
{
	struct bpf_tc_hook hook = hook_of(ifindex, BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, options, .handle = TC_HANDLE);
	int priority = filter_find(&hook, NULL), r = 0;

	if (priority > 0) {
		options.priority = (uint32_t)priority;
		r = bpf_tc_detach(&hook, &options);
	}
	if ((!r || r == -ENOENT) && qdisc_made)
		qdisc_remove(ifindex);
	return r == -ENOENT ? 0 : r;
}

int tc_program(uint32_t ifindex, uint32_t *ret)
{
	struct bpf_tc_hook hook = hook_of(ifindex, BPF_TC_INGRESS);
	int r = filter_find(&hook, ret);

	return r < 0 ? r : 0;
}
