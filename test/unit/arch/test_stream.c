/*
 * Each streaming loop in each width against plain C, at lengths from none to several bodies; what lies before and
 * behind a range stays as it was. The bytes of two loops must differ, or a row would be measured under another's
 * name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/stream.h"

#define WORDS 1024u     /* the longest range */
#define GUARD 8u        /* words on both sides */

struct arrays { _Alignas(64) uint64_t to[WORDS + 2 * GUARD], from[WORDS + 2 * GUARD], other[WORDS + 2 * GUARD]; };

static struct arrays found, wanted;

static uint64_t bits(double number)
{
	uint64_t value;

	memcpy(&value, &number, sizeof value);
	return value;
}

static double number(uint64_t value)
{
	double result;

	memcpy(&result, &value, sizeof result);
	return result;
}

/* Whole numbers, so that sums of doubles are exact in any order. */
static void fill(struct arrays *arrays, bool integers)
{
	for (uint64_t i = 0; i < WORDS + 2 * GUARD; i++) {
		arrays->to[i] = integers ? i * 0x9e3779b97f4a7c15u : bits((double)(i % 97));
		arrays->from[i] = integers ? ~i * 0xbf58476d1ce4e5b9u : bits((double)(i % 61 + 1));
		arrays->other[i] = bits((double)(i % 31 + 2));
	}
}

/* One word of each loop in plain C; adds to *sum what is returned. */
static void step(enum kb_stream what, uint64_t *to, uint64_t from, uint64_t other, uint64_t q, uint64_t *sum)
{
	switch (what) {
	case KB_STREAM_READ: case KB_STREAM_READ_INDEX: *sum += from; break;
	case KB_STREAM_WRITE: case KB_STREAM_WRITE_NT: *to = q; break;
	case KB_STREAM_UPDATE: *to += q; break;
	case KB_STREAM_COPY: case KB_STREAM_COPY_NT: *to = from; break;
	case KB_STREAM_SCALE: *to = bits(number(q) * number(from)); break;
	case KB_STREAM_ADD: *to = bits(number(from) + number(other)); break;
	case KB_STREAM_TRIAD: *to = bits(number(from) + number(q) * number(other)); break;
	case KB_STREAM_DAXPY: *to = bits(number(*to) + number(q) * number(from)); break;
	case KB_STREAM_SUM: *sum = bits(number(*sum) + number(from)); break;
	case KB_STREAMS: break;
	}
}

static void compare(enum kb_stream what, unsigned width, kb_stream_loop *loop, uint64_t words)
{
	bool integers = what <= KB_STREAM_COPY_NT;
	uint64_t q = integers ? 0x0123456789abcdefu : bits(3), sum = 0, returned;

	fill(&found, integers);
	fill(&wanted, integers);
	returned = loop(found.to + GUARD, found.from + GUARD, found.other + GUARD, words * 8, q);
	for (uint64_t i = GUARD; i < GUARD + words; i++)
		step(what, &wanted.to[i], wanted.from[i], wanted.other[i], q, &sum);
	if (returned != sum || memcmp(&found, &wanted, sizeof found) != 0)
		fail_msg("stream %d, width %u, %u words: wrong", (int)what, width, (unsigned)words);
}

static void test_values(void **state)
{
	unsigned loops = 0;
	uint32_t hash;

	(void)state;
	for (unsigned what = 0; what < KB_STREAMS; what++) {
		for (unsigned width = 8; width <= 64; width *= 2) {
			kb_stream_loop *loop = kb_stream(what, width, &hash);

			loops += loop != NULL;
			for (unsigned bodies = 0; loop && bodies * KB_STREAM_UNROLL * width / 8 <= WORDS; bodies = 2 * bodies + 1)
				compare(what, width, loop, bodies * KB_STREAM_UNROLL * width / 8);
		}
	}
	assert_true(loops >= 10);       /* the least that any architecture has */
}

static void test_hashes(void **state)
{
	uint32_t hashes[KB_STREAMS * KB_STREAM_WIDTHS] = { 0 };
	unsigned count = 0;

	(void)state;
	for (unsigned i = 0; i < KB_STREAMS * KB_STREAM_WIDTHS; i++) {
		if (!kb_stream(i / KB_STREAM_WIDTHS, 8u << i % KB_STREAM_WIDTHS, &hashes[count]))
			continue;
		assert_int_not_equal(hashes[count], 0);
		for (unsigned other = 0; other < count; other++)
			assert_int_not_equal(hashes[count], hashes[other]);
		count++;
	}
}

static void test_refusals(void **state)
{
	uint32_t hash = 1;

	(void)state;
	assert_in_range(kb_stream_widest(), 8, 64);
	assert_null(kb_stream(KB_STREAM_READ, 0, &hash));
	assert_int_equal(hash, 0);
	assert_null(kb_stream(KB_STREAM_READ, 24, &hash));
	assert_null(kb_stream(KB_STREAM_READ, 128, &hash));
	assert_null(kb_stream(KB_STREAMS, 8, &hash));
	assert_null(kb_stream(KB_STREAM_READ, 2 * kb_stream_widest(), &hash));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_hashes), cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
