/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model: the desired state of one instance, as plain values. Operations (operation.h) make a new model of
 * an old one; nothing here is ever half valid. Lists are kept sorted (interfaces and pools by name, services
 * by protocol, VIP and port, backends by name), so that equal states are equal values and equal JSON texts.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/placement/placement.h"
#include "core/value/address.h"
#include "core/value/listen_address.h"
#include "core/value/name.h"
#include "core/value/refusal.h"

enum {
	INTERFACE_SIZE = 16, /* IFNAMSIZ */
	WEIGHT_DEFAULT = 100,
	WEIGHT_MAX = 65535,
	TCP_IDLE_DEFAULT = 7200, /* seconds */
	UDP_IDLE_DEFAULT = 30,
	TCP_GRACE_DEFAULT = 10,
	GUE_PORT_DEFAULT = 19523,
	MOVE_LIMIT_DEFAULT = 25, /* percent */
};

enum admin_state { ADMIN_ACTIVE, ADMIN_DRAINING, ADMIN_DISABLED }; /* "active", "draining", "disabled" */
enum health_state { HEALTH_UNKNOWN, HEALTH_UP, HEALTH_DOWN };      /* "unknown", "up", "down" */
enum health_rule {
	HEALTH_AUTO,
	HEALTH_FORCED_UP,
	HEALTH_FORCED_DOWN
};                                                            /* backend health POOL/NAME auto|up|down */
enum interface_mode { MODE_AUTO, MODE_NATIVE, MODE_GENERIC }; /* "auto", "native", "generic" */

struct backend {
	char name[NAME_SIZE];
	struct address address;
	uint32_t weight; /* 0..WEIGHT_MAX */
	char zone[NAME_SIZE];
	enum admin_state admin;
	/* What a configuration states of it. In an instance health is a fact beside the generations
	 * (user/daemon/watch/facts.h), and this has no effect. */
	enum health_rule health;
	int64_t since;    /* milliseconds of the instance's clock when admin last changed; 0 never */
	int64_t deadline; /* ... when a drain cuts; 0 none */
	bool removing;    /* drains, then leaves */
	bool replaced;    /* another address has its name: it is removing, and called "db1@10.0.0.11" */
};

/* What only one scheme asks of a pool, in the words of placement.h. Part of its member set. */
struct pool_options {
	uint32_t virtual_nodes; /* ring */
	uint8_t ring_hash;      /* ring: enum placement_hash */
	uint8_t ring_owner;     /* ring: enum ring_owner */
	uint8_t ketama;         /* ketama: enum ketama_form */
	uint32_t tolerance;     /* stable: thousandths */
	char *ranges;           /* slots: who has which (slot_range.h), owned; NULL: divided by weight */
};
enum ring_owner { RING_AT, RING_AFTER }; /* "at", "after": whose a key on a token is */

struct pool {
	char name[NAME_SIZE];
	enum placement_scheme scheme;
	struct pool_options options;
	uint32_t slots;
	uint64_t seed; /* 0: the instance's */
	uint8_t hash;  /* enum hf_hash_policy */
	uint8_t encap; /* enum hf_encap */
	uint16_t gue_port;
	struct prefix source4, source6; /* outer source addresses; family 0: the route's own source address */
	uint32_t tcp_grace, udp_grace;  /* seconds */
	bool served; /* services led here, and none does now: its member sets still count (history.h) */
	struct backend *backends; /* members by name, then those that were replaced, by name and address */
	size_t backend_count;
};

struct service {
	union {
		struct listen listen;
		struct { /* its members */
			uint8_t proto;
			struct address vip;
			uint16_t port_low, port_high;
		};
	};
	char pool[NAME_SIZE];
	uint8_t track; /* enum hf_track */
	uint32_t idle; /* seconds; 0: the protocol's default */
};

struct interface {
	char name[INTERFACE_SIZE];
	enum interface_mode mode;
	bool share;
};

/* A member set that a pool once had (history.h). */
struct member_record {
	char pool[NAME_SIZE];
	int64_t until; /* milliseconds of the instance's clock when another took its place */
	enum placement_scheme scheme;
	struct pool_options options;
	uint32_t slots;
	uint64_t seed;
	uint8_t hash;
	char *members; /* "db1 db2*200 db3@east!", owned */
};

/* A backend that a command removed (removal.h). */
struct removal {
	char pool[NAME_SIZE];
	char name[NAME_SIZE];
	struct address address;
	int64_t since; /* Unix milliseconds */
};

struct ahead;

struct model {
	uint64_t seed;
	int64_t clock; /* of a model from outside: what the clock that its stamps are of showed when it was
			  written, milliseconds; 0: not known, or the instance's own */
	struct interface *interfaces;
	size_t interface_count;
	struct pool *pools;
	size_t pool_count;
	struct service *services;
	size_t service_count;
	struct removal *removals; /* by pool and name */
	size_t removal_count;
	struct member_record *history; /* by pool, newest first */
	size_t history_count;
	uint32_t move_limit; /* percent of a pool's slots that apply moves without being forced */
	struct ahead *ahead; /* borrowed; NULL: what takes long is built where it is needed (ahead.h) */
};

/* An empty model with this seed. */
struct model *model_new(uint64_t seed);
struct model *model_copy(const struct model *model);
void model_free(struct model *model);

struct pool *model_pool(const struct model *model, const char *name); /* NULL: none */
/* An object by the name that somebody typed, borrowed, or NULL with *refusal filled, near misses named. */
struct pool *named_pool(const struct model *model, const char *name, struct refusal *refusal);
struct backend *pool_named_backend(const struct pool *pool, const char *name, struct refusal *refusal);
/*
 * A backend by what it is called: the member of this name, or "db1@10.0.0.11", whatever stands at this
 * address under this name, also where it was replaced.
 */
struct backend *pool_backend(const struct pool *pool, const char *text);
struct backend *pool_backend_at(const struct pool *pool, const char *name, const struct address *address);
/* How many of a pool's backends are members: the first so many of the list. The rest were replaced. */
size_t pool_members(const struct pool *pool);
/* What a backend is called: its name, or name and address where it was replaced. Returns text. */
enum { BACKEND_TEXT = NAME_SIZE + ADDRESS_TEXT };
const char *backend_label(const struct backend *backend, char text[BACKEND_TEXT]);
/* The same of what a number in the data plane stands for, which the model may have no longer. Returns text.
 */
const char *model_label(const struct model *model, const char *pool, const char *name,
			const struct address *address, char text[BACKEND_TEXT]);
struct service *model_service(const struct model *model, uint8_t proto, const struct address *vip,
			      uint16_t low, uint16_t high);
struct interface *model_interface(const struct model *model, const char *name);
uint64_t pool_seed(const struct model *model, const struct pool *pool);
/* Whether a service listens on the address. */
bool model_has_vip(const struct model *model, const struct address *address);
/* Whether a service leads to the pool. */
bool pool_is_served(const struct model *model, const char *pool);
/* Whether flows may be left on a pool's backends: services lead to it, or did. */
bool pool_has_flows(const struct model *model, const struct pool *pool);
uint32_t service_idle(const struct service *service);
/* Whether the data plane sees flows begin: TCP by SYN, UDP only where it tracks every flow (enum hf_track).
 */
bool beginnings_seen(uint8_t proto, uint8_t track);
/*
 * What a backend weighs in its pool's placement. One that drains to leave weighs nothing already: its flows
 * end at another time on every balancer, and their tables must be equal meanwhile.
 */
uint32_t placed_weight(const struct backend *backend);
/* Whether operators let a backend take no new flows: it drains or is disabled. Health, by decree too, may be
 * one balancer's own view, and is no part of what all must agree on. */
bool backend_rests(const struct backend *backend);

/* Their words end with NULL; a value that has none is called "?". */
extern const char *const admin_words[],
	*const encap_words[], *const hash_words[], *const track_words[], *const mode_words[];
const char *admin_name(enum admin_state state);
const char *health_name(enum health_state state);
/* What a word of health states; HEALTH_UNKNOWN: nothing. */
enum health_state health_stated(enum health_rule rule);
const char *encap_name(uint8_t encap);
const char *hash_name(uint8_t hash);
const char *track_name(uint8_t track);
const char *mode_name(enum interface_mode mode);
