/*
 * The chains against their oracle, the oracle against figures worked out by hand, and the one thing that only time can
 * tell: that the instructions of a chain wait for each other.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/chain.h"
#include "kbench_code.h"
#include "stamp.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const uint64_t lengths[] = { 0, 1, 99, 100, 101, 1000, 12345 };

/* A ring whose walk returns after 7 steps: no length above is a multiple, so a lost load shows. */
static uint64_t ring[7];

static uint64_t ring_start(void)
{
	for (unsigned i = 0; i < COUNT(ring); i++)
		ring[i] = (uintptr_t)&ring[(i + 3) % COUNT(ring)];
	return (uintptr_t)ring;
}

static void test_oracle(void **state)
{
	uint64_t start = ring_start();

	(void)state;
	assert_int_equal(kb_chain_expect(KB_CHAIN_ADD, 4, 10, 7), 38);
	assert_int_equal(kb_chain_expect(KB_CHAIN_ADD, 3, 1, UINT64_MAX), UINT64_MAX - 1);
	assert_int_equal(kb_chain_expect(KB_CHAIN_ISSUE, 4, 10, 7), 38);
	assert_int_equal(kb_chain_expect(KB_CHAIN_XOR, 3, 5, 6), 3);
	assert_int_equal(kb_chain_expect(KB_CHAIN_XOR, 4, 5, 6), 5);
	assert_int_equal(kb_chain_expect(KB_CHAIN_IMUL, 5, 2, 3), 486);
	assert_int_equal(kb_chain_expect(KB_CHAIN_IMUL, 0, 2, 3), 2);
	assert_int_equal(kb_chain_expect(KB_CHAIN_IMUL, 64, 1, 2), 0);
	assert_int_equal(kb_chain_expect(KB_CHAIN_LOAD, 2, start, 0), (uintptr_t)&ring[6]);
}

static void test_values(void **state)
{
	static const uint64_t operands[] = { 0, 1, 3, 0x9e3779b97f4a7c15u, UINT64_MAX };

	(void)state;
	for (unsigned chain = 0; chain < KB_CHAINS; chain++) {
		uint64_t start = chain == KB_CHAIN_LOAD ? ring_start() : 0x0123456789abcdefu;

		for (unsigned i = 0; i < COUNT(lengths) * COUNT(operands); i++) {
			uint64_t n = lengths[i / COUNT(operands)], operand = operands[i % COUNT(operands)];

			assert_int_equal(kb_chain(chain, n, start, operand), kb_chain_expect(chain, n, start, operand));
		}
	}
}

static int verify_bytes(const unsigned char *bytes, size_t size, unsigned period)
{
	struct kb_chain_code code = { .body = bytes, .body_end = bytes + size, .unroll = KB_CHAIN_UNROLL,
				      .period = period };
	uint32_t hash;

	return kb_chain_code_verify(&code, &hash);
}

static void test_verify_refuses(void **state)
{
	unsigned char bytes[3 * KB_CHAIN_UNROLL];

	(void)state;
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i % 3);
	assert_int_equal(verify_bytes(bytes, sizeof bytes, 1), 0);
	assert_int_equal(verify_bytes(bytes, sizeof bytes, 10), 0);
	assert_int_equal(verify_bytes(bytes, sizeof bytes - 1, 1), -EINVAL);
	assert_int_equal(verify_bytes(bytes, 0, 1), -EINVAL);
	for (unsigned i = 0; i < sizeof bytes; i++) {
		bytes[i] ^= 0x80;
		assert_int_equal(verify_bytes(bytes, sizeof bytes, 1), -EINVAL);
		bytes[i] ^= 0x80;
	}
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i % 30);
	assert_int_equal(verify_bytes(bytes, sizeof bytes, 10), 0);
	assert_int_equal(verify_bytes(bytes, sizeof bytes, 1), -EINVAL);
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = 1;   /* any cut repeats: only the size is wrong */
	assert_int_equal(verify_bytes(bytes, sizeof bytes - 1, 1), -EINVAL);
}

/* Values cannot tell 200 half-sized copies from 100, nor a hash of nothing: sizes and hashes must differ, too. */
static void test_code(void **state)
{
	uint32_t hashes[KB_CHAINS];

	(void)state;
	for (unsigned chain = 0; chain < KB_CHAINS; chain++) {
		const struct kb_chain_code *code = &kb_chain_codes[chain];
		size_t size = (size_t)(code->body_end - code->body);

		assert_int_equal(kb_chain_verify(chain, &hashes[chain]), 0);
		assert_int_equal((uintptr_t)code->body % 64, 0);
		assert_in_range(size, 2 * KB_CHAIN_UNROLL, 4 * KB_CHAIN_UNROLL);
		for (unsigned other = 0; other < chain; other++)
			assert_int_not_equal(hashes[chain], hashes[other]);
	}
	assert_in_range(kb_chain_codes[KB_CHAIN_ISSUE].period, 8, KB_CHAIN_UNROLL);
}

/* The shortest of many windows, a few microseconds each: what disturbs one does not disturb all. */
static uint64_t shortest(enum kb_chain chain, uint64_t n)
{
	uint64_t best = UINT64_MAX, start = chain == KB_CHAIN_LOAD ? ring_start() : 1;

	for (unsigned i = 0; i < 3000; i++) {
		uint64_t begin = kb_stamp_begin();

		kb_keep(kb_chain(chain, n, start, 3));

		uint64_t ticks = kb_stamp_end() - begin;

		if (ticks < best)
			best = ticks;
	}
	return best;
}

static double ratio(enum kb_chain chain, enum kb_chain to)
{
	return (double)shortest(chain, 10000) / (double)shortest(to, 10000);
}

/* Bounds that every core keeps; a chain whose counter or operand got onto it, or that is folded, does not. The clock
   may change its rate between two measurements, hence the second and third look. */
static bool within(enum kb_chain chain, double low, double high)
{
	for (unsigned i = 0; i < 3; i++) {
		double found = ratio(chain, KB_CHAIN_ADD);

		if (found >= low && found <= high)
			return true;
		print_message("chain %u: %.2f times the add\n", chain, found);
	}
	return false;
}

static void test_latency_ratios(void **state)
{
	(void)state;
	assert_true(within(KB_CHAIN_IMUL, 2.5, 4.5));
	assert_true(within(KB_CHAIN_XOR, 0.8, 1.2));
	assert_true(within(KB_CHAIN_LOAD, 2.5, 8));
	assert_true(within(KB_CHAIN_ISSUE, 0.05, 0.7));
}

static void test_time_is_proportional(void **state)
{
	double twice = 0;

	(void)state;
	for (unsigned i = 0; i < 3 && !(twice > 1.8 && twice < 2.2); i++)
		twice = (double)shortest(KB_CHAIN_ADD, 20000) / (double)shortest(KB_CHAIN_ADD, 10000);
	assert_true(twice > 1.8 && twice < 2.2);
}

static void test_clock(void **state)
{
	static const enum kb_reading ways[] = { KB_READ_LIGHT, KB_READ_ORDERED, KB_READ_PAIR };
	uint64_t before = kb_stamp_begin(), after;

	(void)state;
	for (unsigned i = 0; i < COUNT(ways); i++) {
		assert_int_equal(kb_read_clock(ways[i], 0), 0);
		after = kb_read_clock(ways[i], 1000);
		assert_true(after > before);
		before = after;
	}
	assert_true(kb_stamp_light() >= before);
	kb_pause();
	assert_true(kb_stamp_end() >= before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oracle),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_verify_refuses),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_latency_ratios),
		cmocka_unit_test(test_time_is_proportional),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
