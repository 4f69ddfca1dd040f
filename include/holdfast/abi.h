/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the data plane and user space share: the keys and values of every map. Plain types, no logic.
 *
 * Rules that hold for every map here: a packet sees a new table through one aligned 64-bit store
 * (control.services or pools[n]); records that such a word names are immutable while it names them; memory
 * they no longer name is not written again before every packet that might read it is gone. Numbers are in
 * host order unless a __be type says else. Index 0 of backends, tables, counters, links and hops is never
 * used: 0 means none.
 */
#pragma once

#include <linux/types.h>

#define HF_ABI_VERSION 2 /* bumped when a structure below changes its layout or meaning */
#define HF_ABI_OLDEST  1 /* the oldest whose maps this version's programs take over as they are */

enum {
	HF_MAX_LINKS = 64,
	HF_MAX_MACS = 3,
	HF_MAX_POOLS = 1024,
	HF_MAX_TABLES = 4096,
	HF_MAX_BACKENDS = 65536,  /* 16-bit numbers, 0 excluded */
	HF_MAX_SERVICES = 32768,  /* numbers of services */
	HF_MAX_DIRECTORY = 32768, /* entries of a directory; the services array has twice as many, for the
				     live one and the next */
	HF_MAX_PROBES = 8,        /* longest run of entries that a lookup in a directory may touch */
	HF_MAX_HOPS = 7,
	HF_DEFAULT_SLOTS = 16 << 20,   /* entries of slots, all pools together */
	HF_DEFAULT_HOPS = 1 << 20,     /* entries of hops */
	HF_DEFAULT_FLOWS = 1 << 20,    /* entries of flows */
	HF_DEFAULT_COUNTERS = 1 << 16, /* entries of counters, each on every processor */
};

enum hf_family { HF_IPV4 = 4, HF_IPV6 = 6 };

/* How a packet is wrapped for its backend. */
enum hf_encap { HF_ENCAP_IP = 0 /* IPv4 or IPv6 in IPv4 or IPv6 */, HF_ENCAP_GUE, HF_ENCAP_GRE, HF_ENCAP_L2 };

/* What of a flow's tuple decides its slot. Versioned with the flow hash: see flowhash.h. */
enum hf_hash_policy { HF_HASH_5TUPLE = 0, HF_HASH_SOURCE = 1 /* client address alone */ };

enum hf_track { HF_TRACK_AUTO = 0, HF_TRACK_ALWAYS, HF_TRACK_NEVER };

/*
 * services: an array of entries that holds one open-addressed directory at a time (and the next one while it
 * is being written). The live one is named by control.services, packed as: bits 0..15 first entry, 16..23
 * the seed it is laid out with (0: as layout 1 did), 24..31 log2 of the number of entries, 32..48 which
 * prefix lengths of ports are in use (bit n: some entry has n port bits), 49..63 generation (low bits, to
 * tell changes apart). An entry lives at hf_service_hash(key, seed) or up to HF_MAX_PROBES - 1 entries after
 * it, wrapping round. A port range is a set of entries with fewer than 16 port bits; "any port" is one entry
 * with 0 bits. A VIP has one more entry of protocol HF_PROTO_VIP and port 0: the address is ours, whatever
 * the port. directory.h takes the word apart.
 */
#define HF_PROTO_VIP 255

struct hf_service_key {
	__be32 addr[4]; /* IPv4: addr[0], the rest 0 */
	__be16 port;    /* bits beyond port_bits are 0 */
	__u8 proto;     /* IPPROTO_TCP, IPPROTO_UDP, HF_PROTO_VIP; 0: the entry is empty */
	__u8 kind;      /* family and port_bits (0..16): see directory.h */
};

struct hf_service {
	struct hf_service_key key;
	__u32 pool;     /* index of pools */
	__u32 counters; /* index of counters of the pool's member with ordinal 0 */
	__u32 ordinals; /* how many counters there are from there */
	__u32 idle;     /* seconds after which a silent flow is over */
	__u16 number;   /* the service's number, for those who read traces */
	__u8 track;     /* enum hf_track */
	__u8 flags;
	__u32 reserved[6];
};

/* pools: one word a pool. Bits 0..31 index of tables, 0 for none; 32..63 generation. */

/* tables: an immutable description of a pool's slot table (DESIGN's pool record). */
struct hf_table {
	__u32 first; /* index of slots */
	__u32 size;  /* slots in it, at least 1 */
	__u64 seed;  /* of the flow hash */
	__u32 pool;  /* whose it is */
	__u8 hash;   /* enum hf_hash_policy */
	__u8 flags;
	__u16 reserved16;
	/* While a pool migrates from another table, size, seed or hash: where unremembered old flows find
	 * their base. */
	__u32 old_first;
	__u32 old_size; /* 0: not migrating */
	__u64 old_seed;
	__u8 old_hash;
	__u8 reserved8[3];
	__u32 since; /* seconds of CLOCK_MONOTONIC when the migration began */
	__u32 reserved[4];
};

/*
 * slots: one word a slot, which slot.h takes apart. since: when a moving slot began to move, two slots to an
 * entry (slot s: since[s / 2].at[s % 2]). The data plane moves that on where a flow at the base finds no room
 * in the flow table.
 */
struct hf_since {
	__u32 at[2]; /* seconds of CLOCK_MONOTONIC */
};

/* hops: an immutable list of backends for the packets of a slot, best first, distinct. */
struct hf_hops {
	__u8 count;
	__u8 flags; /* HF_HOPS_LAST_ANSWERS */
	__u16 backend[HF_MAX_HOPS];
};
enum { HF_HOPS_LAST_ANSWERS = 1 }; /* the last is down but its host answers: it stays last */

/* backends: what a packet needs to be wrapped, by backend number. While it is in use every field but dst and
 * family may change, by one store each; a packet reads each once. */
struct hf_backend {
	__u64 next_hop;  /* bytes 0..5 destination MAC, 6..7 link number as a host-order __u16; link 0:
			    unresolved. One store. */
	__be32 dst[4];   /* outer destination; IPv4: dst[0] */
	__be32 src[4];   /* outer source */
	__be32 src_mask; /* bits of the source's last word (IPv4: src[0]) that the flow's hash fills */
	__u32 csum;      /* hf_outer_csum(): only programs of earlier versions read it */
	__be16 gue_port;
	__u16 ordinal; /* the backend's place among the counters of its pool's services */
	__u8 family;   /* enum hf_family of dst and src */
	__u8 encap;    /* enum hf_encap */
	__u8 flags;    /* HF_BACKEND_* */
	__u8 reserved8;
	__u32 mtu; /* largest outer IP packet of the path; 0 unknown */
	__u32 reserved32;
};
/*
 * The flags change in place, by one store of their byte: may take new flows; may keep old TCP flows, old UDP
 * flows (active, draining, or down within the pool's grace for that protocol). A remembered flow whose
 * backend does not serve its protocol is placed anew at its next packet.
 */
enum {
	HF_BACKEND_TAKES_NEW = 1,
	HF_BACKEND_SERVES_TCP = 2,
	HF_BACKEND_SERVES_UDP = 4,
};

/* counters: one record for the packets of one service to one backend, on each processor. */
struct hf_counters {
	__u64 packets;
	__u64 bytes; /* of the packets as they came, Ethernet header included */
	__u64 flows; /* TCP: SYN without ACK; UDP: flows entered, of services that track always */
};

/* reasons: packets that were not forwarded, by reason (reasons.h), on each processor. */
struct hf_reason_counter {
	__u64 packets;
	__u64 bytes;
};

/*
 * flows: what is remembered of the flows of moving slots. A set of HF_FLOW_WAYS neighbours by hash. The data
 * plane claims an entry by exchanging its tag for HF_FLOW_CLAIMED, and writes the flow's own tag last; `seen`
 * alone is written without a claim. Others may only exchange a tag they have read for 0, and what they read
 * of an entry counts only if its tag is the same before and after.
 * A claimed entry is its flow's still, by tag2, which goes first when it is given to another flow.
 */
enum { HF_FLOW_WAYS = 8, HF_FLOW_CLAIMED = 1 };
enum hf_flow_state { HF_FLOW_EMPTY = 0, HF_FLOW_OPENING, HF_FLOW_ESTABLISHED, HF_FLOW_CLOSING };
struct hf_flow {
	__u64 tag;  /* of the tuple; 0: empty */
	__u32 tag2; /* 32 more bits of it, from an independent hash */
	__u32 slot; /* within its pool's table when last seen: tables move in the array and change their size
		     */
	__u32 seen; /* seconds of CLOCK_MONOTONIC */
	__u16 backend;
	__u16 service; /* hf_service.number */
	__u8 state;    /* enum hf_flow_state */
	__u8 proto;
	__u16 pool; /* index of pools */
	__u32 idle; /* seconds; from the service */
};

/* flow_events: how often, on each processor, by enum hf_flow_event: one __u64 each. */
enum hf_flow_event {
	HF_FLOW_REMEMBERED,          /* flows entered */
	HF_FLOW_EVICTED_OPENING,     /* flows that had opened and shown no more went for another */
	HF_FLOW_EVICTED_CLOSING,     /* FIN or RST had been seen */
	HF_FLOW_EVICTED_ESTABLISHED, /* of earlier versions: this one gives up no flow that would be missed */
	HF_FLOW_EVICTED_BASE,        /* flows at their base, where they are found without an entry */
	HF_FLOW_UNFIT,               /* TCP connections that found no room when they opened */
	HF_FLOW_UNFIT_PACKETS,       /* other packets whose flow found no room */
	HF_FLOW_EVENTS,
};

/* control: the one entry every packet reads. */
struct hf_link {
	__u8 mac[6];
	__u16 flags;   /* HF_LINK_* */
	__u32 ifindex; /* 0: not in use */
	__u32 mtu;
};
enum {
	HF_LINK_ONLY_INGRESS = 1
}; /* every attached interface is this one: what goes out there goes back where it came from */

struct hf_control {
	__u64 services; /* the live directory, packed as above */
	__u32 abi;      /* HF_ABI_VERSION */
	__u32 flags;
	__u64 flow_seed; /* of the flow table's tags: any secret number, kept as long as the flows are */
	__u64 reserved[2];
	__u64 macs[HF_MAX_MACS]; /* of the interfaces that run the program, and what they receive besides:
				    bytes 0..5; 0: none. The first is 0: frames for any host are taken. */
	struct hf_link links[HF_MAX_LINKS];
};

/* observation: what the observing form of the program (`why`) found, in a map of its own that no other load
 * shares. */
enum hf_stage {
	HF_STAGE_PARSE = 1,
	HF_STAGE_ICMP,
	HF_STAGE_SERVICE,
	HF_STAGE_HASH,
	HF_STAGE_SLOT,
	HF_STAGE_FLOW,
	HF_STAGE_BACKEND,
	HF_STAGE_WRAP,
	HF_STAGE_TRANSMIT
};
/* Why a flow has its backend: it owns the slot, the flow table says so, or it is the slot's base. */
enum hf_choice { HF_CHOICE_OWNER = 0, HF_CHOICE_REMEMBERED, HF_CHOICE_BASE, HF_CHOICES };
struct hf_observation {
	__u32 stage;  /* the last stage that was entered */
	__s32 reason; /* enum hf_reason, 0: forwarded */
	__u64 hash;
	__u32 service; /* hf_service.number */
	__u32 pool;
	__u32 table;
	__u32 slot; /* within its table */
	__u64 slot_word;
	__u32 backend; /* chosen */
	__u32 choice;  /* enum hf_choice */
	__u32 link;
	__u32 reserved;
};

#define HF_ASSERT_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type " has changed its size")
HF_ASSERT_SIZE(struct hf_service_key, 20);
HF_ASSERT_SIZE(struct hf_service, 64);
HF_ASSERT_SIZE(struct hf_table, 64);
HF_ASSERT_SIZE(struct hf_since, 8);
HF_ASSERT_SIZE(struct hf_hops, 16);
HF_ASSERT_SIZE(struct hf_backend, 64);
HF_ASSERT_SIZE(struct hf_counters, 24);
HF_ASSERT_SIZE(struct hf_flow, 32);
HF_ASSERT_SIZE(struct hf_link, 16);
HF_ASSERT_SIZE(struct hf_control, 64 + 64 * 16);
HF_ASSERT_SIZE(struct hf_observation, 56);
_Static_assert(__builtin_offsetof(struct hf_backend, next_hop) == 0,
	       "next_hop is stored as one aligned word");
_Static_assert(__builtin_offsetof(struct hf_backend, encap) ==
		       __builtin_offsetof(struct hf_backend, family) + 1,
	       "family and encap are read together");
_Static_assert(__builtin_offsetof(struct hf_control, services) == 0,
	       "services is stored as one aligned word");
