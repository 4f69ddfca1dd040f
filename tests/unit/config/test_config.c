/* SPDX-License-Identifier: Apache-2.0 */
#include "example.h"

#include <errno.h>

#include "core/config/model_json.h"

#define HEAD "version: 1\nseed: \"6f1c9a3e5b7d2048\"\n"
#define POOL "pools:\n  - name: db\n    backends:\n      - {name: db1, address: 10.0.0.11}\n"

static void the_manuals_example_is_read(void **state)
{
	struct model *model = must_parse(example);

	(void)state;
	assert_true(model->seed == 0x6f1c9a3e5b7d2048);
	assert_string_equal(model->interfaces[0].name, "eth0");
	assert_int_equal(pool_backend(model_pool(model, "db"), "db1")->weight, WEIGHT_DEFAULT);
	assert_int_equal(pool_backend(model_pool(model, "db"), "db2")->weight, 200);
	assert_int_equal(model_pool(model, "db")->slots, 65537);
	assert_int_equal(model_pool(model, "db")->tcp_grace, TCP_GRACE_DEFAULT);
	assert_int_equal(model_pool(model, "db")->gue_port, GUE_PORT_DEFAULT);
	assert_int_equal(model->services[0].port_low, 5432);
	assert_int_equal(model->move_limit, MOVE_LIMIT_DEFAULT);
	model_free(model);
}

/* Every way in which a file is refused, with all that is said about it. */
static const struct {
	const char *text;
	int error;
	const char *what, *where, *right;
} refusals[] = {
	{"", -EINVAL, "the configuration is empty", "",
	 "at least `version: 1` and a seed, as `holdfast seed` makes it"},
	{"# nothing\n\n", -EINVAL, "the configuration is empty", "",
	 "at least `version: 1` and a seed, as `holdfast seed` makes it"},
	{"---\n", -EINVAL, "the configuration is empty", "",
	 "at least `version: 1` and a seed, as `holdfast seed` makes it"},
	{"- version\n", -EINVAL, "configuration is not a mapping", "line 1, column 3",
	 "keys and values, such as {version: ...}"},
	{"pools: [\n", -EINVAL, "this is not YAML: flow sequence without a closing bracket",
	 "line 2, column 1", ""},
	{HEAD "seed: x\n", -EINVAL, "this is not YAML: duplicate key", "line 3, column 1", ""},
	{HEAD "---\n" HEAD, -EINVAL, "there is more than one document", "",
	 "one document, without a second `---`"},
	{"version: 1\n", -EINVAL, "seed is missing", "line 1, column 1",
	 "seed: 16 hexadecimal digits in quotes, as `holdfast seed` makes them"},
	{"seed: \"6f1c9a3e5b7d2048\"\n", -EINVAL, "version is missing", "line 1, column 1", "version: 1"},
	{"version: 2\nseed: \"6f1c9a3e5b7d2048\"\n", -EINVAL, "version 2 is out of range",
	 "line 1, column 1: version", "1"},
	{"version: 1\nseed: 6f1c\n", -EINVAL, "seed cannot be \"6f1c\", which is 4 characters long",
	 "line 2, column 1: seed", "16 hexadecimal digits, not all 0, as `holdfast seed` prints"},
	{HEAD "pool:\n  - name: db\n", -EINVAL, "unknown key pool", "line 3, column 1: pool",
	 "did you mean pools?"},
	{HEAD "colour: red\n", -EINVAL, "unknown key colour", "line 3, column 1: colour",
	 "one of version, seed, move_limit, clock, interfaces, pools, services, removals, history"},
	{HEAD "pools:\n  - name: db\n    backends:\n      - {name: db1, address: 10.0.0.11, wieght: 2}\n",
	 -EINVAL, "unknown key wieght", "line 6, column 41: pools[0].backends[0].wieght",
	 "did you mean weight?"},
	{HEAD "pools:\n  - name: db\n    backends:\n      - {name: db1, address: 10.0.0.11, weight: 70000}\n",
	 -EINVAL, "weight 70000 is out of range", "line 6, column 41: pools[0].backends[0].weight",
	 "a number from 0 to 65535"},
	{HEAD "pools:\n  - name: db\n    backends:\n      - {name: db1, address: 10.0.0.11, weight: heavy}\n",
	 -EINVAL, "weight cannot be \"heavy\", which is not a whole number",
	 "line 6, column 41: pools[0].backends[0].weight", "a number from 0 to 65535"},
	{HEAD "pools:\n  - name: db\n    backends:\n      - {name: db1, address: 10.0.0.11, weight: 1.5}\n",
	 -EINVAL, "weight cannot be \"1.5\", which is not a whole number",
	 "line 6, column 41: pools[0].backends[0].weight", "a number from 0 to 65535"},
	{HEAD "pools:\n  - name: db\n    backends:\n      - {name: db1}\n", -EINVAL, "address is missing",
	 "line 6, column 10: pools[0].backends[0]",
	 "address: the address of one host, such as 10.0.0.11 or 2001:db8::11"},
	{HEAD "pools:\n  - name: db\n    backends:\n      - {name: db1, address: 10.0.0.0/8}\n", -EINVAL,
	 "address cannot be \"10.0.0.0/8\", which is a prefix",
	 "line 6, column 21: pools[0].backends[0].address",
	 "the address of one host, such as 10.0.0.11 or 2001:db8::11"},
	{HEAD "pools:\n  - name: db\n    backends: {db1: 10.0.0.11}\n", -EINVAL, "backends is not a list",
	 "line 5, column 5: pools[0].backends", "a list, one entry for each"},
	{HEAD "pools:\n  db: {}\n", -EINVAL, "pools is not a list", "line 3, column 1: pools",
	 "a list, one entry for each"},
	{HEAD "pools:\n  - db\n", -EINVAL, "pool is not a mapping", "line 4, column 5: pools[0]",
	 "keys and values, such as {name: ...}"},
	{HEAD "pools:\n  - name: [db]\n", -EINVAL, "name cannot be a list", "line 4, column 5: pools[0].name",
	 "63 characters at most: letters, digits, '-', '_' and '.', the first a letter or digit"},
	{HEAD "interfaces:\n  - {name: eth0, share: maybe}\n", -EINVAL, "share cannot be \"maybe\"",
	 "line 4, column 18: interfaces[0].share", "true or false"},
	{HEAD "interfaces:\n  - {name: eth0, mode: fast}\n", -EINVAL, "mode cannot be \"fast\"",
	 "line 4, column 18: interfaces[0].mode", "auto, native or generic"},
	{HEAD "interfaces:\n  - name: eth0\n  - name: eth0\n", -EEXIST, "interface eth0 is there twice",
	 "line 5, column 5: interfaces[1].name", "one entry for each interface"},
	{HEAD "pools:\n  - name: db\n  - name: web\n  - name: db\n", -EEXIST, "pool db is there twice",
	 "line 6, column 5: pools[2].name", "a name of its own for each pool"},
	{HEAD POOL "      - {name: db0, address: 10.0.0.12}\n      - {name: db1, address: 10.0.0.13}\n",
	 -EEXIST, "backend db1 is there twice", "line 8, column 10: pools[0].backends[2].name",
	 "a name of its own for each backend of pool db"},
	{HEAD "pools:\n  - name: db\n    table_size: 65536\n", -EINVAL, "table size 65536 is not prime",
	 "line 5, column 5: pools[0].table_size", "a prime, such as 65521 or 65537"},
	{HEAD "pools:\n  - name: db\n    table_size: 2000003\n", -EINVAL,
	 "table_size 2000003 is out of range", "line 5, column 5: pools[0].table_size",
	 "a number from 251 to 1048573"},
	{HEAD "pools:\n  - name: db\n    scheme: magleV\n", -EINVAL, "scheme cannot be \"magleV\"",
	 "line 5, column 5: pools[0].scheme",
	 "maglev, stable, rendezvous, ring, ketama, jump, modulo or slots (did you mean maglev?)"},
	{HEAD "pools:\n  - name: db\n    grace: 2 days\n", -EINVAL,
	 "grace cannot be \"2 days\", which has a space", "line 5, column 5: pools[0].grace",
	 "a time from 0s to 1d, such as 30s or 1h30m"},
	{HEAD POOL "services:\n  - {listen: \"tcp 203.0.113.10:80-90\", pool: db}\n"
		   "  - {listen: \"tcp 203.0.113.10:85\", pool: db}\n",
	 -EINVAL, "the ports of tcp 203.0.113.10:80-90 and 203.0.113.10:85 overlap",
	 "line 9, column 6: services[1].listen", "ports that belong to one service"},
	{HEAD POOL "services:\n  - {listen: \"tcp 203.0.113.10:80\", pool: db}\n"
		   "  - {listen: \"tcp 203.0.113.10:80\", pool: db}\n",
	 -EEXIST, "service tcp 203.0.113.10:80 is there twice", "line 9, column 6: services[1].listen",
	 "one service for each protocol, address and port"},
	{HEAD POOL "services:\n  - {listen: \"tcp 203.0.113.10:80\", pool: bd}\n", -ENOENT,
	 "there is no pool bd", "line 8, column 37: services[0].pool", "did you mean db?"},
	{HEAD POOL "services:\n  - {listen: 203.0.113.10:80, pool: db}\n", -EINVAL,
	 "listen cannot be \"203.0.113.10:80\", which does not begin with tcp or udp",
	 "line 8, column 6: services[0].listen",
	 "tcp or udp, an address and a port, a range or any, such as tcp 203.0.113.10:5432 or udp "
	 "[2001:db8::1]:8000-8100"},
	{HEAD POOL "services:\n  - {listen: \"tcp [::ffff:203.0.113.10]:80\", pool: db}\n", -EINVAL,
	 "listen cannot be \"tcp [::ffff:203.0.113.10]:80\", which has an address that is an IPv4 address in "
	 "IPv6 form",
	 "line 8, column 6: services[0].listen", "203.0.113.10:80"},
	{HEAD "pools:\n  - name: db\n    encap: gue\n    backends:\n      - {name: a, address: 10.0.0.1}\n"
	      "      - {name: b, address: \"2001:db8::1\"}\n",
	 -EINVAL, "IPv6 cannot be carried beside IPv4 in one pool with encap gue",
	 "line 8, column 19: pools[0].backends[1].address",
	 "backends of one family, or encap ipip: the hops that gue names are of one family"},
	{HEAD "pools:\n  - name: db\n    source: 192.0.2.0/24\n    backends:\n"
	      "      - {name: a, address: \"2001:db8::1\"}\n",
	 -EINVAL, "source has no IPv6 address, but backend a is reached by IPv6",
	 "line 5, column 5: pools[0].source", "a prefix of each family: 192.0.2.0/24,2001:db8::/64"},
	{HEAD "pools: &all\n  - name: db\n    backends: *all\n", -EINVAL, "aliases are not read",
	 "line 5, column 16", "the value itself, written out"},
	{HEAD "pools:\n  - name: \"d\xff\"\n", -EINVAL, "byte 0xff is not UTF-8", "line 4, column 13",
	 "a text file in UTF-8"},
	{HEAD "pools:\n  - name: \"\xed\xa0\x80\"\n", -EINVAL, "byte 0xed is not UTF-8", "line 4, column 12",
	 "a text file in UTF-8"},
	{HEAD "pools:\n  - name: \"\xc0\xaf\"\n", -EINVAL, "byte 0xc0 is not UTF-8", "line 4, column 12",
	 "a text file in UTF-8"},
	{HEAD "pools:\n  - name: \"a\\0b\"\n", -EINVAL, "a value has an escape that writes no character",
	 "line 4, column 12", "the characters themselves, without \\"},
	{HEAD "pools:\n  - name: 'd''b\n      1'\n", -EINVAL, "texts over several lines are not read",
	 "line 4, column 12", "the value in one line, without | or >"},
	{HEAD "pools:\n  - 'na\n    me': db\n", -EINVAL,
	 "this is not YAML: invalid multiline single-quoted scalar used as key", "line 4, column 5", ""},
	{HEAD "pools:\n  - name: |\n      db\n", -EINVAL, "texts over several lines are not read",
	 "line 5, column 1", "the value in one line, without | or >"},
	{HEAD "pools:\n  - name: >-\n    a\n      z  e: |\n      b\n", -EINVAL,
	 "texts over several lines are not read", "line 5, column 1",
	 "the value in one line, without | or >"},
	{HEAD "? [a]\n: b\n", -EINVAL, "this is not a key", "line 3, column 4", "a key of configuration"},
};

static void every_bad_file_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		struct refusal refusal = {0};
		json_t *json = NULL;
		int error = config_parse(refusals[i].text, strlen(refusals[i].text), &json, &refusal);

		if (error != refusals[i].error || strcmp(refusal.what, refusals[i].what) != 0 ||
		    strcmp(refusal.where, refusals[i].where) != 0 ||
		    strcmp(refusal.right, refusals[i].right) != 0)
			fail_msg("%s\n%d: %s\n%s\n%s", refusals[i].text, error, refusal.what, refusal.where,
				 refusal.right);
		assert_null(json);
	}
}

/* Each level nine times the one before: a thousand bytes that would be a thousand million nodes. */
static void a_bomb_of_aliases_does_not_go_off(void **state)
{
	char text[2048];
	size_t length = (size_t)snprintf(text, sizeof text, HEAD "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
	struct refusal refusal = {0};
	json_t *json;

	(void)state;
	for (int i = 1; i < 10; i++)
		length += (size_t)snprintf(text + length, sizeof text - length,
					   "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i,
					   i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	assert_int_equal(config_parse(text, length, &json, &refusal), -EINVAL);
	assert_string_equal(refusal.what, "aliases are not read");
	assert_string_equal(refusal.where, "line 4, column 11");
}

static void a_tower_of_brackets_is_refused(void **state)
{
	static char text[100000];
	struct refusal refusal = {0};
	json_t *json;

	(void)state;
	memset(text, '[', sizeof text);
	assert_int_equal(config_parse(text, sizeof text, &json, &refusal), -EINVAL);
	assert_string_equal(refusal.what, "this is not YAML: Max depth (64) exceeded");
}

static void a_huge_file_is_refused_before_it_is_read(void **state)
{
	struct refusal refusal = {0};
	json_t *json;

	(void)state;
	/* Not a byte of it is there to be read. */
	assert_int_equal(config_parse(NULL, 100 << 20, &json, &refusal), -EFBIG);
	assert_string_equal(refusal.what, "it is larger than 16 MiB");
	assert_string_equal(refusal.right, "a file of 16 MiB at most");
}

static void a_nul_byte_is_no_text(void **state)
{
	static const char text[] = HEAD "pools: \0\n";
	struct refusal refusal = {0};
	json_t *json;

	(void)state;
	assert_int_equal(config_parse(text, sizeof text - 1, &json, &refusal), -EINVAL);
	assert_string_equal(refusal.what, "byte 0x00 is not text");
	assert_string_equal(refusal.where, "line 3, column 8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_manuals_example_is_read),
		cmocka_unit_test(every_bad_file_is_refused_with_its_place),
		cmocka_unit_test(a_bomb_of_aliases_does_not_go_off),
		cmocka_unit_test(a_tower_of_brackets_is_refused),
		cmocka_unit_test(a_huge_file_is_refused_before_it_is_read),
		cmocka_unit_test(a_nul_byte_is_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
