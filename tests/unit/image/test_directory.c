/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <arpa/inet.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <netinet/in.h>

#include "holdfast/flowhash.h"

/* What a service list says, by looking at every service. */
struct wish {
	struct hf_service service;
	uint16_t low, high;
};

static const struct wish *naive_find(const struct wish *wishes, size_t count, uint8_t family,
				     const __be32 addr[4], uint8_t proto, uint16_t port)
{
	for (size_t i = 0; i < count; i++) {
		const struct hf_service_key *key = &wishes[i].service.key;

		if (key->proto == proto && hf_kind_family(key->kind) == family &&
		    memcmp(key->addr, addr, sizeof key->addr) == 0 && port >= wishes[i].low &&
		    port <= wishes[i].high)
			return &wishes[i];
	}
	return NULL;
}

static void random_address(uint64_t *random, uint8_t family, __be32 addr[4])
{
	memset(addr, 0, 4 * sizeof *addr);
	addr[0] = htonl(0xcb007100 + (uint32_t)(draw(random) % 64));
	if (family == HF_IPV6)
		addr[3] = htonl((uint32_t)(draw(random) % 64));
}

/* Ports in random stretches, so that no two services of one address overlap. */
static size_t random_wishes(uint64_t *random, struct wish *wishes, size_t most)
{
	size_t count = 0;

	while (count < most) {
		uint8_t family = draw(random) % 4 ? HF_IPV4 : HF_IPV6;
		struct wish wish = {.service.key = {.proto = draw(random) % 2 ? IPPROTO_TCP : IPPROTO_UDP,
						    .kind = hf_kind(family, 0)}};
		uint32_t port = 1 + (uint32_t)(draw(random) % 65535), width = 1;
		bool free_here = true;

		random_address(random, family, wish.service.key.addr);
		switch (draw(random) % 20) {
		case 0:
			port = 0;
			width = 65536;
			break;
		case 1:
			width = 1 + (uint32_t)(draw(random) % 5000);
			break;
		}
		wish.low = (uint16_t)port;
		wish.high = (uint16_t)(port + width > 65536 ? 65535 : port + width - 1);
		wish.service.key.port = htons(wish.low);
		wish.service.number = (uint16_t)(count + 1);
		for (size_t i = 0; i < count && free_here; i++)
			free_here = !(wishes[i].service.key.proto == wish.service.key.proto &&
				      wishes[i].service.key.kind == wish.service.key.kind &&
				      memcmp(wishes[i].service.key.addr, wish.service.key.addr, 16) == 0 &&
				      wishes[i].low <= wish.high && wish.low <= wishes[i].high);
		if (free_here)
			wishes[count++] = wish;
		else
			most--; /* a crowded draw still ends */
	}
	return count;
}

static int build(const struct wish *wishes, size_t count, struct directory *ret)
{
	struct hf_service *services = calloc(count + 1, sizeof *services);
	uint16_t *highs = calloc(count + 1, sizeof *highs);
	int error;

	for (size_t i = 0; i < count; i++) {
		services[i] = wishes[i].service;
		highs[i] = wishes[i].high;
	}
	error = directory_build(services, highs, count, NULL, ret);
	free(services);
	free(highs);
	return error;
}

/* Ports at the edges of services, which is where mistakes live, and others. */
static uint16_t telling_port(uint64_t *random, const struct wish *wish)
{
	static const int offsets[] = {-1, 0, 1};
	uint16_t edge = draw(random) % 2 ? wish->low : wish->high;

	return draw(random) % 4 ? (uint16_t)(edge + offsets[draw(random) % 3]) : (uint16_t)draw(random);
}

static void compare(const struct directory *directory, const struct wish *wishes, size_t count,
		    uint64_t *random)
{
	for (int i = 0; i < 20000; i++) {
		const struct wish *near = &wishes[draw(random) % count];
		uint8_t proto = draw(random) % 8 ? near->service.key.proto : IPPROTO_TCP;
		uint8_t family = hf_kind_family(near->service.key.kind);
		uint16_t port = telling_port(random, near);
		const struct hf_service *found;
		const struct wish *wish;
		__be32 addr[4];

		memcpy(addr, near->service.key.addr, sizeof addr);
		if (draw(random) % 8 == 0)
			random_address(random, family, addr);
		wish = naive_find(wishes, count, family, addr, proto, port);
		found = directory_find(directory, family, addr, proto, port);
		if (!wish != !found || (wish && wish->service.number != found->number))
			fail_msg("port %u: %d instead of %d", port, found ? found->number : 0,
				 wish ? wish->service.number : 0);
	}
}

static void a_directory_finds_what_a_list_says(void **state)
{
	struct wish *wishes = calloc(3000, sizeof *wishes);
	uint64_t random = 3;

	(void)state;
	for (int round = 0; round < 12; round++) {
		size_t count = random_wishes(&random, wishes, 20 + (size_t)round * 150);
		struct directory directory;

		assert_true(count >= 10);
		assert_int_equal(build(wishes, count, &directory), 0);
		compare(&directory, wishes, count, &random);
		directory_free(&directory);
	}
	free(wishes);
}

/* Thousands of services, as large as a directory gets. */
static void no_lookup_takes_more_probes_than_are_allowed(void **state)
{
	struct wish *wishes = calloc(4000, sizeof *wishes);
	struct directory directory;

	(void)state;
	for (uint32_t i = 0; i < 4000; i++) {
		wishes[i].service.key = (struct hf_service_key){.addr = {htonl(0xcb000000 + i / 2)},
								.port = htons(80),
								.proto = i % 2 ? IPPROTO_TCP : IPPROTO_UDP};
		wishes[i].low = wishes[i].high = 80;
		wishes[i].service.number = (uint16_t)(i + 1);
	}
	assert_int_equal(build(wishes, 4000, &directory), 0);
	assert_true(1U << directory.log2 <= HF_MAX_DIRECTORY);
	for (uint32_t i = 0; i < 4000; i++) {
		const struct hf_service *found = directory_find(
			&directory, HF_IPV4, wishes[i].service.key.addr, wishes[i].service.key.proto, 80);

		assert_non_null(found);
		assert_int_equal(found->number, i + 1);
	}
	/* As the data plane walks: from where the hash says, at most so many steps. */
	for (uint32_t at = 0; at < 1U << directory.log2; at++) {
		const struct hf_service *entry = &directory.entries[at];

		if (entry->key.proto)
			assert_true(((at - hf_service_hash(&entry->key, directory.seed)) &
				     ((1U << directory.log2) - 1)) < HF_MAX_PROBES);
	}
	directory_free(&directory);
	free(wishes);
}

/* Who is not where its hash says costs every packet for it some steps: of a few services, next to none is. */
static void few_services_are_at_home(void **state)
{
	enum { ROUNDS = 100, SERVICES = 8 };
	uint64_t random = 7;
	size_t away = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct wish wishes[SERVICES] = {0};
		struct directory directory;
		uint32_t last;

		for (size_t i = 0; i < SERVICES; i++) {
			wishes[i].service.key =
				(struct hf_service_key){.addr = {htonl((uint32_t)draw(&random))},
							.port = htons(80),
							.proto = i % 2 ? IPPROTO_TCP : IPPROTO_UDP};
			wishes[i].low = wishes[i].high = 80;
		}
		assert_int_equal(build(wishes, SERVICES, &directory), 0);
		last = (1U << directory.log2) - 1;
		assert_true(last < HF_MAX_DIRECTORY / 2);
		for (uint32_t at = 0; at <= last; at++)
			away += directory.entries[at].key.proto &&
				at != (hf_service_hash(&directory.entries[at].key, directory.seed) & last);
		directory_free(&directory);
	}
	assert_in_range(away, 0, ROUNDS * SERVICES * 2 / 100);
}

static struct hf_service_key key4(uint32_t address, uint32_t port)
{
	return (struct hf_service_key){
		.addr = {htonl(address)}, .port = htons((uint16_t)port), .proto = IPPROTO_TCP};
}

static struct hf_service_key key6(uint32_t second, uint32_t third, uint32_t last, uint32_t port)
{
	return (struct hf_service_key){
		.addr = {htonl(0x20010db8), htonl(second), htonl(third), htonl(last)},
		.port = htons((uint16_t)port),
		.proto = IPPROTO_TCP,
		.kind = hf_kind(HF_IPV6, 0),
	};
}

/* How operators number addresses and ports: in steps, so that a weak mix lets them fall together. */
static struct hf_service_key patterned(int pattern, uint32_t i)
{
	switch (pattern) {
	case 0:
		return key4(0xcb007101 + i % 5, 1000 + 5 * (i / 5));
	case 1:
		return key4(0xcb007101 + i, 80);
	case 2:
		return key4(0xcb007101, 1000 + 7 * i);
	case 3:
		return key4(0xcb007101 + i % 64 * 256, 1000 + i / 64 * 256);
	case 4:
		return key4(0x0a000000 + (i % 16 << 16) + (i / 16 % 16 << 24), 1 + 10 * (i / 256));
	case 5:
		return key4(0xcb007101 + i, 1024 + i);
	case 6:
		return key6(0, 0, i, 443);
	case 7:
		return key6(i % 64, 0, i / 64, 443);
	case 8:
		return key6(i % 32 << 16, i / 32 % 32, 1, 80 + i / 1024);
	default:
		return key6(0, i % 256 << 24, i / 256, 443);
	}
}

static void as_many_as_are_promised_fit_whatever_they_have_in_common(void **state)
{
	enum { PATTERNS = 10, SERVICES = DIRECTORY_MAX_ENTRIES / 2 };
	static const size_t counts[] = {1000, 2000, 4000, SERVICES};
	struct wish *wishes = calloc(SERVICES, sizeof *wishes);

	(void)state;
	for (int round = 0; round < PATTERNS * 4; round++) {
		size_t count = counts[round % 4];
		struct directory directory;

		for (uint32_t i = 0; i < count; i++) {
			wishes[i].service.key = patterned(round / 4, i);
			wishes[i].low = wishes[i].high = ntohs(wishes[i].service.key.port);
			wishes[i].service.number = (uint16_t)(i + 1);
		}
		if (build(wishes, count, &directory))
			fail_msg("pattern %d of %zu services does not fit", round / 4, count);
		for (uint32_t i = 0; i < count; i++) {
			const struct hf_service_key *key = &wishes[i].service.key;
			const struct hf_service *found =
				directory_find(&directory, key->kind ? HF_IPV6 : HF_IPV4, key->addr,
					       key->proto, wishes[i].low);

			assert_non_null(found);
			assert_int_equal(found->number, i + 1);
		}
		directory_free(&directory);
	}
	free(wishes);
}

/* A directory that an earlier version laid out is not replaced before a service changes. */
static void what_holds_the_same_entries_is_kept(void **state)
{
	struct hf_service services[] = {{.key = key4(0xcb007101, 80)}, {.key = key4(0xcb007102, 80)}};
	const uint16_t highs[] = {80, 80};
	struct directory before = {calloc(64, sizeof *before.entries), 6, 0, 1U << 16}, same, other;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct hf_service entry = services[0];
		uint32_t at;

		if (i)
			entry = (struct hf_service){.key = key4(0xcb007101, 0)};
		entry.key.proto = i ? HF_PROTO_VIP : IPPROTO_TCP;
		entry.key.kind = i ? 0 : 16;
		at = hf_service_hash(&entry.key, 0) & 63;
		while (before.entries[at & 63].key.proto)
			at++;
		before.entries[at & 63] = entry;
	}
	assert_int_equal(directory_build(services, highs, 1, &before, &same), 0);
	assert_int_equal(same.seed, 0);
	assert_int_equal(same.log2, 6);
	assert_memory_equal(same.entries, before.entries, 64 * sizeof *same.entries);
	services[0].idle = 7;
	assert_int_equal(directory_build(services, highs, 1, &before, &other), 0);
	assert_int_not_equal(other.seed, 0);
	directory_free(&other);
	services[0].idle = 0;
	assert_int_equal(directory_build(services, highs, 2, &before, &other), 0);
	assert_int_not_equal(other.seed, 0);
	directory_free(&other);
	directory_free(&same);
	directory_free(&before);
}

static void more_than_fits_is_refused(void **state)
{
	size_t count = DIRECTORY_MAX_ENTRIES / 2 + 1;
	struct wish *wishes = calloc(count, sizeof *wishes);
	struct directory directory = {0};

	(void)state;
	for (size_t i = 0; i < count; i++) {
		wishes[i].service.key = (struct hf_service_key){
			.addr = {htonl(0xcb000000 + (uint32_t)i)}, .port = htons(80), .proto = IPPROTO_TCP};
		wishes[i].low = wishes[i].high = 80;
	}
	assert_int_equal(build(wishes, count, &directory), -ENOSPC);
	assert_null(directory.entries);
	free(wishes);
}

/* What the data plane asks when a packet has no port: is the address ours? */
static void every_address_has_an_entry_of_its_own(void **state)
{
	struct model *model = small_model(1);
	struct ledger *ledger = ledger_new();
	struct image *image;
	size_t vips = 0, services = 0;

	(void)state;
	operate(&model, "service.add", "{'proto': 'udp', 'listen': '203.0.113.10:any', 'pool': 'db'}");
	operate(&model, "service.add", "{'proto': 'tcp', 'listen': '[2001:db8::1]:80', 'pool': 'db'}");
	image = must_image(model, ledger, NULL, "");
	for (size_t i = 0; i < 1UL << image->directory.log2; i++) {
		const struct hf_service_key *key = &image->directory.entries[i].key;

		vips += key->proto == HF_PROTO_VIP;
		services += key->proto && key->proto != HF_PROTO_VIP;
		if (key->proto == HF_PROTO_VIP) {
			assert_int_equal(key->port, 0);
			assert_int_equal(hf_kind_port_bits(key->kind), 0);
		}
	}
	assert_int_equal(vips, 2);
	assert_int_equal(services, 3);
	assert_int_equal(image->directory.lengths, 1U << 16 | 1U << 0);
	image_free(image);
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_finds_what_a_list_says),
		cmocka_unit_test(no_lookup_takes_more_probes_than_are_allowed),
		cmocka_unit_test(few_services_are_at_home),
		cmocka_unit_test(as_many_as_are_promised_fit_whatever_they_have_in_common),
		cmocka_unit_test(what_holds_the_same_entries_is_kept),
		cmocka_unit_test(more_than_fits_is_refused),
		cmocka_unit_test(every_address_has_an_entry_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
