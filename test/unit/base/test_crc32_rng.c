/* The check sum against its published vectors and its definition; the generator against its published sequence. */
#include "base/crc32.h"
#include "base/rng.h"
#include "helpers.h"

static void crc_vectors(void **state)
{
	(void)state;
	assert_int_equal(kb_crc32(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(kb_crc32(0, "", 0), 0);
	assert_int_equal(kb_crc32(0, "a", 1), 0xe8b7be43);
	assert_int_equal(kb_crc32(0, "\0\0\0\0", 4), 0x2144df1c);
}

/* One bit at a time, straight from the polynomial. */
static uint32_t slow_crc32(const unsigned char *bytes, size_t count)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < count; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static void crc_equals_its_definition_in_parts(void **state)
{
	unsigned char bytes[300];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 3);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)kb_rng_next(&rng);
	for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
		uint32_t crc = kb_crc32(kb_crc32(0, bytes, cut), bytes + cut, sizeof(bytes) - cut);

		assert_int_equal(crc, slow_crc32(bytes, sizeof(bytes)));
	}
}

/* From the state 1, 2, 3, 4, as in the reference vectors that several independent libraries test against. */
static void generator_vector(void **state)
{
	static const uint64_t expected[] = { 11520, 0, 1509978240, 1215971899390074240u, 1216172134540287360u };
	struct kb_rng rng = { { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_true(kb_rng_next(&rng) == expected[i]);
}

/* splitmix64 from 0 begins e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f, f88bb8a8724c81ec. */
static void seeding_vector(void **state)
{
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 0);
	assert_true(rng.s[0] == 0xe220a8397b1dcdaf && rng.s[1] == 0x6e789e6aa1b965f4);
	assert_true(rng.s[2] == 0x06c45d188009454f && rng.s[3] == 0xf88bb8a8724c81ec);
}

static void below_is_bounded_and_even(void **state)
{
	unsigned seen[7] = { 0 };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 5);
	assert_true(kb_rng_below(&rng, 0) == 0);
	assert_true(kb_rng_below(&rng, 1) == 0);
	for (unsigned i = 0; i < 70000; i++)
		seen[kb_rng_below(&rng, 7)]++;
	/* Seeded, so this cannot fail by chance: five standard deviations of a fair count are 463. */
	for (unsigned i = 0; i < 7; i++)
		assert_in_range(seen[i], 10000 - 463, 10000 + 463);
}

/* With a plain modulo, draws below 2^64 mod limit would come twice as often: a third of 3 * 2^62 shows it. */
static void below_has_no_modulo_bias(void **state)
{
	uint64_t limit = (uint64_t)3 << 62;
	unsigned low = 0;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 6);
	for (unsigned i = 0; i < 30000; i++)
		low += kb_rng_below(&rng, limit) < limit / 3;
	assert_in_range(low, 9500, 10500); /* biased: 15000 */
}

static void shuffle_permutes_evenly(void **state)
{
	unsigned first[5] = { 0 };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 7);
	for (unsigned round = 0; round < 50000; round++) {
		struct { uint32_t id; char rest[8]; } items[5];
		unsigned mask = 0;

		for (uint32_t i = 0; i < 5; i++) {
			items[i].id = i;
			memset(items[i].rest, (int)i, sizeof(items[i].rest));
		}
		kb_rng_shuffle(&rng, items, 5, sizeof(items[0]));
		for (unsigned i = 0; i < 5; i++) {
			mask |= 1u << items[i].id;
			assert_int_equal(items[i].rest[7], items[i].id);
		}
		assert_int_equal(mask, 31);
		first[items[0].id]++;
	}
	for (unsigned i = 0; i < 5; i++)
		assert_in_range(first[i], 10000 - 450, 10000 + 450);
	kb_rng_shuffle(&rng, NULL, 0, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_vectors),
		cmocka_unit_test(crc_equals_its_definition_in_parts),
		cmocka_unit_test(generator_vector),
		cmocka_unit_test(seeding_vector),
		cmocka_unit_test(below_is_bounded_and_even),
		cmocka_unit_test(below_has_no_modulo_bias),
		cmocka_unit_test(shuffle_permutes_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
