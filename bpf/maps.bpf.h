/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every map of the data plane; holdfast/abi.h says what is in them. User space may give the large ones other
 * sizes before it loads the program.
 */
#pragma once

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <holdfast/abi.h>
#include <holdfast/reasons.h>

/* The observing form of the program: it says what it found, and writes nothing that another load shares. */
const volatile bool observing = false;

#define SHARED_ARRAY(name, value_type, entries)    \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(map_flags, BPF_F_MMAPABLE); \
		__uint(max_entries, entries);      \
		__type(key, __u32);                \
		__type(value, value_type);         \
	} name SEC(".maps")

#define COUNTER_ARRAY(name, value_type, entries)         \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, entries);            \
		__type(key, __u32);                      \
		__type(value, value_type);               \
	} name SEC(".maps")

SHARED_ARRAY(control, struct hf_control, 1);
SHARED_ARRAY(services, struct hf_service, 2 * HF_MAX_DIRECTORY);
SHARED_ARRAY(pools, __u64, HF_MAX_POOLS);
SHARED_ARRAY(tables, struct hf_table, HF_MAX_TABLES);
SHARED_ARRAY(slots, __u64, HF_DEFAULT_SLOTS);
SHARED_ARRAY(since, struct hf_since, HF_DEFAULT_SLOTS / 2);
SHARED_ARRAY(hops, struct hf_hops, HF_DEFAULT_HOPS);
SHARED_ARRAY(backends, struct hf_backend, HF_MAX_BACKENDS);
SHARED_ARRAY(flows, struct hf_flow, HF_DEFAULT_FLOWS);

COUNTER_ARRAY(counters, struct hf_counters, HF_DEFAULT_COUNTERS);
COUNTER_ARRAY(reasons, struct hf_reason_counter, HF_REASON_LIMIT);
COUNTER_ARRAY(flow_events, __u64, HF_FLOW_EVENTS);

/*
 * Interfaces by link number. Not a DEVMAP: since 5.18 the kernel binds that to programs that all have, or all
 * lack, the frags flag, and the observing form (plain) shares this map with the attached one (frags).
 */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, HF_MAX_LINKS);
	__type(key, __u32);
	__type(value, __u32);
} egress SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hf_observation);
} observation SEC(".maps");

static __always_inline void *map_at(void *map, __u32 index)
{
	return bpf_map_lookup_elem(map, &index);
}
