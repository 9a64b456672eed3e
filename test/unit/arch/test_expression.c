/* The nine expressions: the machine code is one repeated piece, and does what C says of it. */
#include "arch/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void one_piece(void **state)
{
	uint32_t hash[KB_EXPRESSIONS];

	(void)state;
	for (unsigned i = 0; i < KB_EXPRESSIONS; i++) {
		assert_int_equal(kb_chain_code_verify(kb_expression(i + 1), &hash[i]), 0);
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(hash[i], hash[k]);
	}
	assert_null(kb_expression(0));
	assert_null(kb_expression(KB_EXPRESSIONS + 1));
}

static void same_as_c(void **state)
{
	static const uint64_t counts[] = { 0, 1, 2, 7, 99, 100, 101, 250, 1000 };
	uint64_t ring[7];

	(void)state;
	for (unsigned i = 0; i < 7; i++)
		ring[i] = (uintptr_t)&ring[(i + 3) % 7];
	for (unsigned number = 1; number <= KB_EXPRESSIONS; number++) {
		for (unsigned k = 0; k < sizeof counts / sizeof counts[0]; k++) {
			struct kb_loop_state loop = { 0 };

			kb_expression_inputs(number, &loop.start, &loop.operand);
			if (number == 1)
				loop.start = (uintptr_t)ring;
			uint64_t expected = kb_expression_expect(number, counts[k], loop.start, loop.operand);

			assert_int_equal(kb_code_run(kb_expression(number), counts[k], &loop), counts[k]);
			assert_int_equal(loop.start, expected);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_piece), cmocka_unit_test(same_as_c) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
