/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "core/value/address.h"

static void addresses_are_written_as_they_are_read(void **state)
{
	static const char *const pairs[][2] = {
		{"10.0.0.11", "10.0.0.11"},
		{"2001:db8::1", "2001:db8::1"},
		{"[2001:DB8:0::1]", "2001:db8::1"},
		{"255.1.2.3", "255.1.2.3"},
		{"::1", "::1"},
		{"fe80::1", "fe80::1"},
	};
	char text[ADDRESS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct address address;

		assert_int_equal(address_parse(pairs[i][0], &address), 0);
		assert_string_equal(address_text(&address, text), pairs[i][1]);
	}
}

static void what_is_no_address_is_refused(void **state)
{
	static const char *const words[] = {
		"",           "10.0.0", "10.0.0.256", "10.0.0.1 ", "10.0.0.01", "::ffff:10.0.0.1",
		"[10.0.0.1]", "[::1",   "::1]",       "[]",        "localhost", "2001:db8::g"};
	struct address address;

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (address_parse(words[i], &address) != -EINVAL)
			fail_msg("%s was taken", words[i]);
}

static void an_address_is_in_network_order(void **state)
{
	static const uint8_t bytes[16] = {10, 1, 2, 3};
	struct address address;

	(void)state;
	assert_int_equal(address_parse("10.1.2.3", &address), 0);
	assert_int_equal(address.family, 4);
	assert_memory_equal(address.bytes, bytes, sizeof bytes);
}

static void only_hosts_are_unicast(void **state)
{
	static const struct {
		const char *text;
		int unicast;
	} cases[] = {{"10.0.0.1", 1},  {"224.0.0.1", 0},   {"255.255.255.255", 0}, {"0.0.0.0", 0},
		     {"127.0.0.1", 0}, {"2001:db8::1", 1}, {"ff02::1", 0},         {"::", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct address address;

		assert_int_equal(address_parse(cases[i].text, &address), 0);
		if (address_unicast(&address) != cases[i].unicast)
			fail_msg("%s", cases[i].text);
	}
}

static void prefixes_have_no_host_bits(void **state)
{
	static const char *const good[][2] = {{"10.0.0.0/8", "10.0.0.0/8"},
					      {"10.0.0.1", "10.0.0.1"},
					      {"10.0.0.1/32", "10.0.0.1"},
					      {"2001:db8::/32", "2001:db8::/32"},
					      {"0.0.0.0/0", "0.0.0.0/0"}};
	static const char *const bad[] = {"10.0.0.1/8",  "10.0.0.0/33", "10.0.0.0/",      "/8",
					  "10.0.0.0/-1", "10.0.0.0/8x", "2001:db8::1/64", "2001:db8::/129"};
	char text[PREFIX_TEXT];
	struct prefix prefix;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(prefix_parse(good[i][0], &prefix), 0);
		assert_string_equal(prefix_text(&prefix, text), good[i][1]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (prefix_parse(bad[i], &prefix) != -EINVAL)
			fail_msg("%s was taken", bad[i]);
}

static void endpoints_are_written_as_they_are_read(void **state)
{
	static const struct {
		const char *text;
		uint16_t low, high;
	} good[] = {{"203.0.113.10:5432", 5432, 5432},
		    {"[2001:db8::1]:80", 80, 80},
		    {"203.0.113.10:8000-8100", 8000, 8100},
		    {"203.0.113.10:any", 0, 65535},
		    {"203.0.113.10:1-65535", 1, 65535}};
	static const char *const bad[] = {"203.0.113.10",       "203.0.113.10:",      "203.0.113.10:0",
					  "203.0.113.10:65536", "203.0.113.10:80-79", "203.0.113.10:80-",
					  "2001:db8::1:80",     "203.0.113.10:http",  ":80",
					  "203.0.113.10:+80",   "203.0.113.10: 80"};
	char text[ENDPOINT_TEXT];
	struct address address;
	uint16_t low, high;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(endpoint_parse(good[i].text, &address, &low, &high), 0);
		assert_int_equal(low, good[i].low);
		assert_int_equal(high, good[i].high);
		assert_string_equal(endpoint_text(&address, low, high, text), good[i].text);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (endpoint_parse(bad[i], &address, &low, &high) != -EINVAL)
			fail_msg("%s was taken", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_written_as_they_are_read),
		cmocka_unit_test(what_is_no_address_is_refused),
		cmocka_unit_test(an_address_is_in_network_order),
		cmocka_unit_test(only_hosts_are_unicast),
		cmocka_unit_test(prefixes_have_no_host_bits),
		cmocka_unit_test(endpoints_are_written_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
