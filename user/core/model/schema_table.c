/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of keys. Their order is the order in which files and manual pages show them. */
#include <holdfast/abi.h>

#include "core/value/slot_range.h"
#include "model_edit.h"
#include "schema_table.h"

static const char *const rule_words[] = {"auto", "up", "down", NULL};
static const char *const ring_owner_words[] = {"at", "after", NULL};
static const char *const ketama_words[] = {"libmemcached", "nginx", NULL};

/* The list that a pointer and the count behind it are. */
#define LIST(type, member, number)               \
	.offset = offsetof(struct type, member), \
	.size = offsetof(struct type, number) + sizeof(size_t) - offsetof(struct type, member)
#define AT(type, member) .offset = offsetof(struct type, member), .size = sizeof(((struct type *)0)->member)

static const struct schema_key interface_keys[] = {
	{"name", SCHEMA_NAME, SCHEMA_REQUIRED, AT(interface, name),
	 .help = "The network interface, such as eth0."},
	{"mode", SCHEMA_CHOICE, SCHEMA_QUIET, AT(interface, mode), .words = mode_words, .standard = "auto",
	 .help = "native: in the driver; generic: in the stack; auto: native where it works."},
	{"share", SCHEMA_BOOL, SCHEMA_QUIET, AT(interface, share), .standard = "false",
	 .help = "Share the interface with other XDP programs, through libxdp's dispatcher."},
	{0},
};

static const struct schema_key backend_keys[] = {
	{"name", SCHEMA_NAME, SCHEMA_REQUIRED, AT(backend, name),
	 .help = "The backend's name, unique in its pool. Placement follows the name, never the address. "
		 "Another address is another server: the old one drains first, then leaves."},
	{"address", SCHEMA_ADDRESS, SCHEMA_REQUIRED, AT(backend, address), .value = "ADDRESS",
	 .help = "Where packets are sent, wrapped."},
	{"weight", SCHEMA_NUMBER, 0, AT(backend, weight), .low = 0, .high = WEIGHT_MAX, .standard = "100",
	 .value = "W", .help = "Its share of new flows among the pool's weights; 0 takes none."},
	{"zone", SCHEMA_NAME, SCHEMA_QUIET, AT(backend, zone), .value = "Z",
	 .help = "What fails together. A slot's second and third choices prefer other zones."},
	{"admin", SCHEMA_CHOICE, SCHEMA_STATE, AT(backend, admin), .words = admin_words, .standard = "active",
	 .help = "active; draining: no new flows, old ones stay; disabled: no flows. A file that is silent "
		 "leaves what the command line set."},
	{"health", SCHEMA_CHOICE, SCHEMA_STATE | SCHEMA_QUIET | SCHEMA_FACT, AT(backend, health),
	 .words = rule_words, .standard = "auto",
	 .help = "auto: nothing is stated; up or down: what is stated. Read only at a start with an empty "
		 "database or with --fresh; later holdfast backend health alone changes it. Written by "
		 "export --state."},
	{"since", SCHEMA_TIME, SCHEMA_STATE | SCHEMA_QUIET | SCHEMA_NOTE, AT(backend, since),
	 .high = INT64_MAX,
	 .help = "When admin last changed, in milliseconds since 1970. Written by export --state."},
	{"deadline", SCHEMA_TIME, SCHEMA_STATE | SCHEMA_QUIET, AT(backend, deadline), .high = INT64_MAX,
	 .help = "When a drain ends the flows that are left, in milliseconds since 1970; 0 never. Written by "
		 "export --state."},
	{"removing", SCHEMA_BOOL, SCHEMA_STATE | SCHEMA_QUIET, AT(backend, removing), .standard = "false",
	 .help = "Whether the backend leaves its pool when it is drained. Written by export --state."},
	{"replaced", SCHEMA_BOOL, SCHEMA_STATE | SCHEMA_QUIET, AT(backend, replaced), .standard = "false",
	 .help = "Whether another address has the name of this backend, which is leaving. Written by export "
		 "--state."},
	{0},
};

/*
 * What decides a pool's placement: keys of the pool as it is, and of each member set that it once had. HELP
 * makes the sentence for one of the two.
 */
/* clang-format off */
#define DIGESTED                SCHEMA_QUIET | SCHEMA_DIGESTED
#define OF_POOL(name_, help_)   help_
#define OF_RECORD(name_, help_) "The pool's " name_ " at that time."
#define MEMBER_SET_KEYS(type_, seed_flags_, HELP)								\
	{"scheme", SCHEMA_CHOICE, SCHEMA_QUIET, AT(type_, scheme), .words = placement_scheme_names, .standard = "maglev", \
	 .help = HELP("scheme", "How slots are placed on backends. See holdfast placement compare.")},		\
	{"table_size", SCHEMA_NUMBER, SCHEMA_QUIET, AT(type_, slots), .low = PLACEMENT_MIN_SLOTS,		\
	 .high = PLACEMENT_MAX_SLOTS, .standard = "65537", .value = "M",					\
	 .help = HELP("table_size", "Slots of the pool's table; a prime for maglev. "				\
				    "A hundred times the backends or more.")},					\
	{"seed", SCHEMA_SEED, seed_flags_, AT(type_, seed), .value = "SEED",					\
	 .help = HELP("seed", "The pool's own seed of placement and flow hash; without it, the instance's.")},	\
	{"hash", SCHEMA_CHOICE, SCHEMA_QUIET, AT(type_, hash), .words = hash_words, .standard = "5tuple",	\
	 .help = HELP("hash", "What of a flow decides its slot. 5tuple: addresses, ports and protocol; "	\
			      "source: the client's address alone.")},						\
	{"virtual_nodes", SCHEMA_NUMBER, DIGESTED, AT(type_, options.virtual_nodes), .low = 1,			\
	 .high = 65536, .standard = "100", .scheme = "ring", .value = "N",					\
	 .help = HELP("virtual_nodes", "Tokens per 100 of weight. More of them balance better.")},		\
	{"ring_hash", SCHEMA_CHOICE, DIGESTED, AT(type_, options.ring_hash), .words = placement_hash_names,	\
	 .high = PLACEMENT_MD5_64, .standard = "xxhash", .scheme = "ring",					\
	 .help = HELP("ring_hash", "How the names of tokens become positions.")},				\
	{"ring_owner", SCHEMA_CHOICE, DIGESTED, AT(type_, options.ring_owner), .words = ring_owner_words,	\
	 .standard = "at", .scheme = "ring",									\
	 .help = HELP("ring_owner", "Whether what falls on a token is that token's, or the next's.")},		\
	{"ketama", SCHEMA_CHOICE, DIGESTED, AT(type_, options.ketama), .words = ketama_words,			\
	 .standard = "libmemcached", .scheme = "ketama",							\
	 .help = HELP("ketama", "Whose ring it is.")},								\
	{"tolerance", SCHEMA_PERCENT, DIGESTED, AT(type_, options.tolerance), .high = 1000,			\
	 .standard = "0", .scheme = "stable", .value = "PERCENT",						\
	 .help = HELP("tolerance", "How far above its due share a backend may hold, in percent. "		\
				   "A little spares most needless moves.")},					\
	{"ranges", SCHEMA_RANGES, DIGESTED, AT(type_, options.ranges), .standard = SLOT_RANGES_EVEN,		\
	 .scheme = "slots", .value = "LIST",									\
	 .help = HELP("ranges", "Who owns which: a=0-8191,b=8192-16383, or even. even divides them by weight, "	\
				"in the order of names. Once a service leads to the pool, slots stay where "	\
				"they are until they are moved: a file that is silent leaves what pool slots "	\
				"move has set.")}
/* clang-format on */

static const struct schema_key pool_keys[] = {
	{"name", SCHEMA_NAME, SCHEMA_REQUIRED, AT(pool, name), .help = "The pool's name."},
	MEMBER_SET_KEYS(pool, SCHEMA_QUIET, OF_POOL),
	{"encap", SCHEMA_CHOICE, SCHEMA_QUIET, AT(pool, encap), .words = encap_words, .standard = "ipip",
	 .help = "How packets are wrapped. gue names the hops for receivers; l2 changes only the Ethernet "
		 "addresses."},
	{"gue_port", SCHEMA_NUMBER, SCHEMA_QUIET, AT(pool, gue_port), .low = 1, .high = UINT16_MAX,
	 .standard = "19523", .value = "PORT", .help = "The UDP port of receivers, for encap gue."},
	{"source", SCHEMA_SOURCE, SCHEMA_QUIET, .offset = offsetof(struct pool, source4),
	 .size = 2 * sizeof(struct prefix), .value = "PREFIX",
	 .help = "Outer source addresses; of both families: with a comma between. A prefix, over which flows "
		 "are "
		 "spread, or one address. Without it, the route's own source address."},
	{"grace", SCHEMA_DURATION, SCHEMA_QUIET, AT(pool, tcp_grace), .high = 86400, .standard = "10s",
	 .value = "D",
	 .help = "How long TCP flows stay on a backend that is down. A false alarm then breaks nothing."},
	{"udp_grace", SCHEMA_DURATION, SCHEMA_QUIET, AT(pool, udp_grace), .high = 86400, .standard = "0s",
	 .value = "D", .help = "The same for UDP flows."},
	{"served", SCHEMA_BOOL, SCHEMA_STATE | SCHEMA_QUIET | SCHEMA_NOTE, AT(pool, served),
	 .standard = "false",
	 .help = "Whether services once led to the pool, where none does now: its member sets are still "
		 "noted. Written by export --state."},
	{"backends", SCHEMA_LIST, 0, LIST(pool, backends, backend_count), .items = &schema_backend,
	 .help = "The members of the pool."},
	{0},
};

static const struct schema_key service_keys[] = {
	{"listen", SCHEMA_LISTEN, SCHEMA_REQUIRED, AT(service, listen),
	 .help = "Protocol, virtual address and port that clients connect to."},
	{"pool", SCHEMA_NAME, SCHEMA_REQUIRED, AT(service, pool), .value = "POOL",
	 .help = "The pool that serves it."},
	{"track", SCHEMA_CHOICE, SCHEMA_QUIET, AT(service, track), .words = track_words, .standard = "auto",
	 .help = "Which flows are remembered; only with always are new UDP flows counted. auto: those of "
		 "moving slots; "
		 "always: every one; never: none."},
	{"idle", SCHEMA_DURATION, SCHEMA_QUIET, AT(service, idle), .low = 1, .high = 30 * 86400, .value = "D",
	 .help = "How long a silent flow counts as alive; without it 2h for TCP, 30s for UDP."},
	{0},
};

static const struct schema_key history_keys[] = {
	{"pool", SCHEMA_NAME, SCHEMA_REQUIRED, AT(member_record, pool), .help = "Whose member set it was."},
	{"until", SCHEMA_TIME, SCHEMA_REQUIRED, AT(member_record, until), .high = INT64_MAX,
	 .help = "When another set took its place, in milliseconds since 1970."},
	MEMBER_SET_KEYS(member_record, SCHEMA_REQUIRED, OF_RECORD),
	{"members", SCHEMA_MEMBERS, SCHEMA_REQUIRED, AT(member_record, members),
	 .help = "Its members by name, with weights and zones, and ! behind those that drained or were "
		 "disabled."},
	{0},
};

static const struct schema_key removal_keys[] = {
	{"pool", SCHEMA_NAME, SCHEMA_REQUIRED, AT(removal, pool), .help = "Of which pool."},
	{"name", SCHEMA_NAME, SCHEMA_REQUIRED, AT(removal, name), .help = "The backend's name."},
	{"address", SCHEMA_ADDRESS, SCHEMA_REQUIRED, AT(removal, address), .help = "Its address."},
	{"since", SCHEMA_TIME, SCHEMA_QUIET | SCHEMA_NOTE, AT(removal, since), .high = INT64_MAX,
	 .help = "When it was removed, in milliseconds since 1970."},
	{0},
};

static const struct schema_key root_keys[] = {
	{"version", SCHEMA_NUMBER, SCHEMA_REQUIRED | SCHEMA_FILE, .size = sizeof(uint32_t), .low = 1,
	 .high = 1, .help = "The version of this format: 1."},
	{"seed", SCHEMA_SEED, SCHEMA_REQUIRED, AT(model, seed),
	 .help = "Seed of placement and flow hash: equal on every balancer of these services. holdfast seed "
		 "makes one."},
	{"move_limit", SCHEMA_NUMBER, SCHEMA_QUIET, AT(model, move_limit), .low = 0, .high = 100,
	 .standard = "25",
	 .help = "The share of a pool's slots, in percent, that apply moves without --force."},
	{"clock", SCHEMA_TIME, SCHEMA_STATE | SCHEMA_QUIET | SCHEMA_NOTE, AT(model, clock), .high = INT64_MAX,
	 .help = "What the clock of since, deadline and until showed when this was written. A daemon that "
		 "reads it uses its own clock, and a deadline keeps the time that was left. Written by "
		 "export --state."},
	{"interfaces", SCHEMA_LIST, 0, LIST(model, interfaces, interface_count), .items = &schema_interface,
	 .help = "Where traffic arrives."},
	{"pools", SCHEMA_LIST, 0, LIST(model, pools, pool_count), .items = &schema_pool,
	 .help = "Sets of backends."},
	{"services", SCHEMA_LIST, 0, LIST(model, services, service_count), .items = &schema_service,
	 .help = "What clients connect to."},
	{"removals", SCHEMA_LIST, SCHEMA_STATE, LIST(model, removals, removal_count),
	 .items = &schema_removal,
	 .help = "Backends that commands removed. A file that names them does not bring them back; backend "
		 "add does. Written by export --state."},
	{"history", SCHEMA_LIST, SCHEMA_STATE, LIST(model, history, history_count), .items = &schema_history,
	 .help = "Member sets of the last seven days, newest first: they tell which backends may still hold "
		 "a slot's flows. Written by export --state."},
	{0},
};

const struct schema schema_interface = {"interface", "name", interface_keys, sizeof(struct interface),
					name_order};
const struct schema schema_backend = {"backend", "name", backend_keys, sizeof(struct backend), backend_order};
const struct schema schema_pool = {"pool", "name", pool_keys, sizeof(struct pool), name_order};
const struct schema schema_service = {"service", "listen", service_keys, sizeof(struct service),
				      service_order};
const struct schema schema_history = {"member set", NULL, history_keys, sizeof(struct member_record), NULL};
const struct schema schema_removal = {"removal", NULL, removal_keys, sizeof(struct removal), removal_order};
const struct schema schema_root = {"configuration", NULL, root_keys, sizeof(struct model), NULL};
