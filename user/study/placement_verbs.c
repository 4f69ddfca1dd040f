// SPDX-License-Identifier: Apache-2.0
#include "placement_verbs.h"

#include "core/model/schema_table.h"

/* Members and schemes. */
#define STUDY                                                                                                \
	OPTION("members", VALUE_TEXT, "LIST", "members: a,b*2,c=250,d@east,cache-0..9"),                     \
		OPTION("pool", VALUE_NAME, "POOL", "the backends of a pool, the daemon's or of --file"),     \
		OPTION("file", VALUE_FILE, "FILE", "a configuration file with the pool"),                    \
		OPTION("change", VALUE_TEXT, "LIST",                                                         \
		       "what changes: +d, -b, b*2, b=250, b@west; with commas between"),                     \
		KEY("table-size", &schema_pool, "slots of the table; default 65537, of slots 16384"),        \
		KEY("seed", &schema_pool, "the seed of every hash; default: none"),                          \
		CHOICE("hash", "xxhash md5 md5-64 identity", "how keys and a ring's tokens become numbers"), \
		KEY("virtual-nodes", &schema_pool, NULL),                                                    \
		OPTION("tokens", VALUE_COUNT, "N", "ring: few tokens, placed for balance in joining order"), \
		OPTION("positions", VALUE_TEXT, "LIST",                                                      \
		       "ring: these tokens and no others: North=10,East=45"),                                \
		OPTION("ring-size", VALUE_COUNT, "N", "ring: positions from 0 to N-1"),                      \
		FLAG("after", "ring: a key on a token belongs to the next one"),                             \
		KEY("ketama", &schema_pool, NULL), KEY("tolerance", &schema_pool, NULL),                     \
		KEY("ranges", &schema_pool, NULL)
#define SCHEME   KEY("scheme", &schema_pool, "how keys are placed")
#define REPLICAS OPTION("replicas", VALUE_COUNT, "R", "copies of every key, on distinct members")
#define CSV      FLAG("csv", "print the figures with commas between")

/* clang-format off */
const struct verb placement_verbs[] = {
	{"compare",
	 .arguments = ARGUMENTS(ARGUMENT("CHANGE", VALUE_TEXT, NULL, .optional = true, .repeats = true)),
	 .options = OPTIONS(STUDY,
	                    OPTION("schemes", VALUE_TEXT, "LIST", "these schemes, with commas between; default: all"),
	                    OPTION("keys", VALUE_COUNT, "N", "how many keys; default 1000000"),
	                    OPTION("key-prefix", VALUE_TEXT, "P", "keys are P0, P1, ...; default: key"),
	                    FLAG("bare-keys", "keys are numbers alone"),
	                    OPTION("first-key", VALUE_COUNT, "N", "the first key's number; default 0"),
	                    FLAG("table", "every slot of the table instead of keys"),
	                    REPLICAS,
	                    OPTION("load-factor", VALUE_TEXT, "F", "let no member hold more than F times its share"),
	                    CSV),
	 .help = "put schemes side by side: balance, moves, speed, size",
	 .example = "--members a,b,c +d -b",
	 .details = "MAX/MEAN and MIN/MEAN are loads over due loads. NEEDLESS are moves that the members' shares "
	            "do not ask for. WORST-NEIGHBOUR is the share of a lost member's keys that one other gets.",
	 .flags = VERB_SIGNED_WORDS},
	{"replay",
	 .arguments = ARGUMENTS(ARGUMENT("CHANGE", VALUE_TEXT, NULL, .optional = true, .repeats = true)),
	 .options = OPTIONS(STUDY,
	                    OPTION("keys", VALUE_COUNT, "N", "how many keys are asked for; default 20000"),
	                    OPTION("requests", VALUE_COUNT, "N", "requests in a step; default 10000"),
	                    OPTION("steps", VALUE_COUNT, "N", "steps, 72 at most; default 60"),
	                    OPTION("cache", VALUE_COUNT, "N", "keys that a cache holds; default: all"),
	                    OPTION("skew", VALUE_TEXT, "S", "the k-th key is asked for 1/k^S as often; default 0.8"),
	                    CSV),
	 .help = "play a change through caches in front of a slow store",
	 .example = "--members cache-0..9 +cache-10",
	 .flags = VERB_SIGNED_WORDS},
	{"draw",
	 .arguments = ARGUMENTS(ARGUMENT("KEY", VALUE_TEXT, NULL, .optional = true, .repeats = true)),
	 .options = OPTIONS(STUDY, SCHEME,
	                    CHOICE("colours", "auto light dark", "auto: as the reader's screen prefers"),
	                    OPTION("output", VALUE_FILE, "FILE", "where the picture goes; default: standard output")),
	 .help = "draw a ring with keys, or a table, and what a change moves, as SVG",
	 .example = "--members A,B,C --change +D --virtual-nodes 3 user:1 --output ring.svg"},
	{"lookup",
	 .arguments = ARGUMENTS(ARGUMENT("KEY", VALUE_TEXT, NULL, .repeats = true)),
	 .options = OPTIONS(STUDY, SCHEME, REPLICAS),
	 .help = "say where keys live, and where their copies go",
	 .example = "user:1 user:2 --members a@east,b@east,c@west"},
	{"hot",
	 .arguments = ARGUMENTS(ARGUMENT("FILE", VALUE_FILE, NULL)),
	 .options = OPTIONS(STUDY, SCHEME,
	                    OPTION("shards", VALUE_COUNT, "N", "parts to split the hottest key into; default 10"),
	                    OPTION("load-factor", VALUE_TEXT, "F", "a bound to try; default 1.25")),
	 .help = "say what of hot keys no placement can mend",
	 .example = "counts.txt --members cache-0..9",
	 .details = "Reads lines of KEY COUNT, or of COUNT KEY as from uniq -c."},
	{.verb = NULL},
};
/* clang-format on */
