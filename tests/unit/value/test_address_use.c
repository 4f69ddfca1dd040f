/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include "core/value/address_use.h"

static const char *class_of(const char *text)
{
	const struct address_class *class;
	struct prefix prefix;

	assert_int_equal(prefix_parse(text, &prefix), 0);
	class = prefix_class(&prefix);
	return class ? class->name : "";
}

static void every_class_has_its_ends_and_no_more(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{"0.255.255.255", "of \"this network\""},
		{"1.0.0.0", ""},
		{"126.255.255.255", ""},
		{"127.0.0.0", "loopback"},
		{"127.255.255.255", "loopback"},
		{"128.0.0.0", ""},
		{"169.253.255.255", ""},
		{"169.254.0.0", "link-local"},
		{"169.254.255.255", "link-local"},
		{"169.255.0.0", ""},
		{"223.255.255.255", ""},
		{"224.0.0.0", "multicast"},
		{"239.255.255.255", "multicast"},
		{"240.0.0.0", "reserved"},
		{"255.255.255.254", "reserved"},
		{"255.255.255.255", "broadcast"},
		{"192.0.2.1", ""},
		{"198.51.100.1", ""},
		{"203.0.113.1", ""},
		{"10.0.0.1", ""},
		{"100.64.0.1", ""},
		{"::", "unspecified"},
		{"::1", "loopback"},
		{"::2", "IPv4-compatible"},
		{"::203.0.113.10", "IPv4-compatible"},
		{"::1:0:0", ""},
		{"fe7f:ffff::1", ""},
		{"fe80::1", "link-local"},
		{"febf:ffff::1", "link-local"},
		{"fec0::1", ""},
		{"feff::1", ""},
		{"ff00::", "multicast"},
		{"2001:db8::1", ""},
		{"2002:cb00:710a::1", ""},
		{"fd00::1", ""},
		{"64.0.0.0/2", "loopback"},
		{"169.254.128.0/17", "link-local"},
		{"128.0.0.0/1", "link-local"},
		{"10.0.0.0/8", ""},
		{"fe00::/9", ""},
		{"fe00::/8", "link-local"},
		{"2000::/3", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (strcmp(class_of(cases[i].text), cases[i].name) != 0)
			fail_msg("%s is %s, not %s", cases[i].text, class_of(cases[i].text), cases[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_class_has_its_ends_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
