/* SPDX-License-Identifier: Apache-2.0 */
#include "models.h"

#include <arpa/inet.h>
#include <errno.h>
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

		if (key->proto == proto && !!(key->kind & 0x20) == (family == HF_IPV6) &&
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
						    .kind = family == HF_IPV6 ? 0x20 : 0}};
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
	error = directory_build(services, highs, count, ret);
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
		uint8_t family = near->service.key.kind & 0x20 ? HF_IPV6 : HF_IPV4;
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
	assert_true(1U << directory.log2 <= HF_MAX_SERVICES / 2);
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
			assert_true(((at - hf_service_hash(&entry->key)) & ((1U << directory.log2) - 1)) <
				    HF_MAX_PROBES);
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
		assert_true(last < HF_MAX_SERVICES / 4);
		for (uint32_t at = 0; at <= last; at++)
			away += directory.entries[at].key.proto &&
				at != (hf_service_hash(&directory.entries[at].key) & last);
		directory_free(&directory);
	}
	assert_in_range(away, 0, ROUNDS * SERVICES * 2 / 100);
}

static void more_than_fits_is_refused(void **state)
{
	size_t count = HF_MAX_SERVICES / 2;
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
			assert_int_equal(key->kind & 0x1f, 0);
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
		cmocka_unit_test(more_than_fits_is_refused),
		cmocka_unit_test(every_address_has_an_entry_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
