/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mac: whether the frame is for this host. A switch that does not know where a MAC address is sends the frame
 * to every port, and a veth or a NIC in promiscuous mode takes it: two balancers would both pass it on.
 *
 * User space notes the addresses it knows of in control, where every packet finds them. They may be late: the
 * address of an interface changes, or a macvlan comes up, and no daemon may run. So before a frame is left to
 * the stack, which might reset its connection, the program asks the kernel's own structures.
 */
#pragma once

#include <linux/if_ether.h>
#include <bpf/bpf_core_read.h>
#include "maps.bpf.h"
#include "packet.bpf.h"

/* Whether the kernel lets programs read its memory. Where it does not, every unicast frame is for this host.
 */
const volatile bool kernel_tells = true;

enum {
	MAX_UNICAST = 64, /* addresses of a device besides its own that are looked at */
	MAX_MASTERS = 3,  /* a bridge on a bond is two */
};

/* The kernel's structures, as far as they are read here. */
struct list_head {
	struct list_head *next;
} __attribute__((preserve_access_index));

struct netdev_hw_addr {
	struct list_head list;
	unsigned char addr[32];
} __attribute__((preserve_access_index));

struct netdev_hw_addr_list {
	struct list_head list;
} __attribute__((preserve_access_index));

struct net_device {
	const unsigned char *dev_addr;
	struct netdev_hw_addr_list uc; /* what else it was told to receive */
	struct {
		struct list_head upper; /* a master is the first */
	} adj_list;
} __attribute__((preserve_access_index));

struct netdev_adjacent {
	struct net_device *dev;
	bool master;
	struct list_head list;
} __attribute__((preserve_access_index));

struct xdp_rxq_info {
	struct net_device *dev;
} __attribute__((preserve_access_index));

struct xdp_buff {
	struct xdp_rxq_info *rxq;
} __attribute__((preserve_access_index));

/* As it lies in memory: 48 bits. */
static __always_inline __u64 frame_destination(const struct packet *packet)
{
	return load32(packet->start) | (__u64)load16(packet->start + 4) << 32;
}

static __always_inline bool kernel_mac_is(const void *at, __u64 mac)
{
	__u64 found = 0;

	return !bpf_probe_read_kernel(&found, ETH_ALEN, at) && found == mac;
}

static __always_inline void *kernel_pointer(const void *at)
{
	void *found = NULL;

	return bpf_probe_read_kernel(&found, sizeof(found), at) ? NULL : found;
}

/*
 * Whether a device has the address, by its own or what it was told to receive. What cannot be read is yes. So
 * is a device without an address: it is the loopback, by which BPF_PROG_TEST_RUN hands in frames for any
 * host.
 */
__noinline int device_has(__u64 address, __u64 mac)
{
	struct net_device *device = (void *)address;
	struct list_head *head = &device->uc.list, *at = kernel_pointer(&head->next);
	const void *own = kernel_pointer(&device->dev_addr);

	if (kernel_mac_is(own, mac) || kernel_mac_is(own, 0))
		return true;
	for (int i = 0; i < MAX_UNICAST; i++) {
		if (at == head)
			return false;
		if (!at || kernel_mac_is(&((struct netdev_hw_addr *)at)->addr, mac))
			return true;
		at = kernel_pointer(&at->next);
	}
	return true;
}

/* The bridge or bond that a device belongs to; NULL: none. */
static __always_inline struct net_device *device_master(struct net_device *device)
{
	struct list_head *head = &device->adj_list.upper, *first = kernel_pointer(&head->next);
	struct netdev_adjacent *upper = (void *)first - bpf_core_field_offset(struct netdev_adjacent, list);
	bool is_master = false;

	if (first == head || bpf_probe_read_kernel(&is_master, sizeof(is_master), &upper->master) ||
	    !is_master)
		return NULL;
	return kernel_pointer(&upper->dev);
}

/* Whether the interface that the frame came in by, or a master of it, has this address. */
static __always_inline bool interface_has(struct xdp_md *ctx, __u64 mac)
{
	/* The program's context is the kernel's struct xdp_buff. */
	struct xdp_rxq_info *queue = kernel_pointer(&((struct xdp_buff *)ctx)->rxq);
	struct net_device *device = kernel_pointer(&queue->dev);

	if (!device)
		return true;
	for (int i = 0; device && i <= MAX_MASTERS; i++) {
		if (device_has((__u64)device, mac))
			return true;
		device = device_master(device);
	}
	return false;
}

/*
 * Why a frame for an address that is not the first of control's is not balanced; 0: it is. Out of line, as
 * what few packets need.
 */
__noinline int mac_reason(struct xdp_md *ctx, __u64 mac)
{
	const struct hf_control *own = map_at(&control, 0);

	if (mac & 1)
		return HF_REASON_NOT_UNICAST;
	/* `why` asks about packets for this host, whatever their MAC address. */
	if (observing || !kernel_tells || !ctx || !own || !own->macs[0] || mac == own->macs[1] ||
	    mac == own->macs[2])
		return 0;
	return interface_has(ctx, mac) ? 0 : HF_REASON_OTHER_MAC;
}

static __always_inline int mac_check(const struct packet *packet)
{
	__u64 mac = frame_destination(packet);

	if (likely(mac == load64(&packet->control->macs[0])))
		return 0;
	return -(mac_reason(packet->ctx, mac) & (HF_REASON_LIMIT - 1));
}
