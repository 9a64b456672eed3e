/*
 * For test_holes_PLATFORM.c, each of which includes a program of test/data/yamba/holes.yamba as it was translated, and the
 * bytes that GNU as makes of the same code written out: composing must give them, on any machine.
 */
#ifndef TEST_CODE_HOLES_H
#define TEST_CODE_HOLES_H

#include "helpers.h"

#include "code/program.h"

static void compose(struct kb_bits *bits, const char *arguments, int expected)
{
	char bytes[64], error[200] = "";

	assert_true(y_entry_all.bytes <= sizeof bytes);
	assert_int_equal(kb_program_arguments(&y_program, &y_entry_all, arguments, bytes, error, sizeof error), 0);
	assert_int_equal(kb_program_bits(&y_program, &y_entry_all, bytes, bits), expected);
}

static void composed_is_what_the_assembler_wrote(void **state)
{
	struct kb_bits bits;

	(void)state;
	compose(&bits, "(70001, 2)", 0);
	for (size_t i = 0; i < bits.head.used && i < sizeof wanted; i++) {
		if (bits.head.at[i] != wanted[i])
			fail_msg("byte 0x%zx is %02x, not %02x", i, bits.head.at[i], wanted[i]);
	}
	assert_int_equal(bits.head.used, sizeof wanted);
	kb_bits_free(&bits);
}

/* What fits no hole of at most 32 bits, which every platform has, is refused and not cut. */
static void too_large_is_refused(void **state)
{
	struct kb_bits bits;

	(void)state;
	compose(&bits, "(0x7000000000, 1)", -ENOTSUP);
	assert_int_equal(bits.error.number, 301);
	kb_bits_free(&bits);
}

/* Every value of a hole gets into its bytes: another number gives other bytes in all places that have holes. */
static void each_hole_counts(void **state)
{
	struct kb_bits some, other;
	unsigned same = 0;

	(void)state;
	compose(&some, "(1, 1)", 0);
	compose(&other, "(4094, 1)", 0);
	assert_int_equal(some.head.used, other.head.used);
	for (unsigned i = 0; i < y_fragment1.hole_count; i++) {
		const struct kb_hole *hole = &y_fragment1.holes[i];
		size_t at = y_fragment0.count + hole->offset;
		const struct kb_relocation *relocation = &some.target->relocations[hole->relocation];

		same += memcmp(some.head.at + at, other.head.at + at, relocation->bytes) == 0;
	}
	assert_int_equal(same, may_stay);
	kb_bits_free(&some);
	kb_bits_free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(composed_is_what_the_assembler_wrote), cmocka_unit_test(too_large_is_refused),
		cmocka_unit_test(each_hole_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
