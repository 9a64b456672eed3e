/* The pieces of kbench_code.h on this machine; the oracle against figures worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The same checks that run under emulators, compiled in here: they may use nothing of an operating system. */
#include "cross/instruction.c"

static void test_pieces(void **state)
{
	const char *fault = kb_instruction_fault();

	(void)state;
	if (fault)
		fail_msg("%s", fault);
}

static uint64_t bits64(double value)
{
	union { double real; uint64_t bits; } view = { value };

	return view.bits;
}

static uint64_t bits32(float value)
{
	union { float real; uint32_t bits; } view = { value };

	return view.bits;
}

/* The closed forms of the oracle against the compiler's own arithmetic. */
static void test_oracle(void **state)
{
	uint64_t start, operand;
	double product = 1, quotient = 1.375;
	float single = 1, part = 1.375f;

	(void)state;
	assert_int_equal(kb_code_expect(KB_CODE_FADD64, false, 9), bits64(10));
	assert_int_equal(kb_code_expect(KB_CODE_FMA32, false, 99999), bits32(100000));
	for (unsigned i = 0; i < 1000; i++) {
		product *= 1 + 0x1p-52;
		quotient /= 1 + 0x1p-52;
		single *= 1 + 0x1p-23f;
		part /= 1 + 0x1p-23f;
	}
	assert_int_equal(kb_code_expect(KB_CODE_FMUL64, false, 1000), bits64(product));
	assert_int_equal(kb_code_expect(KB_CODE_FDIV64, false, 1000), bits64(quotient));
	assert_int_equal(kb_code_expect(KB_CODE_FMUL32, false, 1000), bits32(single));
	assert_int_equal(kb_code_expect(KB_CODE_FDIV32, false, 1000), bits32(part));
	assert_int_equal(kb_code_expect(KB_CODE_MOD32, true, 41), 42);
	assert_int_equal(kb_code_expect(KB_CODE_XOR32, false, 3), 0x9e3779b8);
	kb_code_inputs(KB_CODE_DIV64, true, &start, &operand);
	assert_int_equal(start, 1);
	kb_code_inputs(KB_CODE_DIV64, false, &start, &operand);
	assert_true(start > UINT64_MAX / 2 && operand == 1);
}

/* Distinct pieces have distinct hashes, so that results of different code are told apart. */
static void test_hashes(void **state)
{
	uint32_t hashes[KB_CODES];

	(void)state;
	for (unsigned i = 0; i < KB_CODES; i++) {
		hashes[i] = 0;
		if (kb_code(i))
			assert_int_equal(kb_chain_code_verify(kb_code(i), &hashes[i]), 0);
		for (unsigned other = 0; other < i; other++)
			assert_true(!hashes[i] || hashes[i] != hashes[other]);
	}
	assert_null(kb_code_parallel(KB_PARALLEL_ADD, 7));
	assert_non_null(kb_code_parallel(KB_PARALLEL_ADD, 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_oracle),
		cmocka_unit_test(test_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
