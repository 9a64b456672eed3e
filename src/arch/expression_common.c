/* What the expressions must come to, and what they start from. The same for every architecture. */
#include "arch/expression.h"

const struct kb_chain_code *kb_expression(unsigned number)
{
	const struct kb_chain_code *code = number >= 1 && number <= KB_EXPRESSIONS ? &kb_expression_codes[number - 1] : 0;

	return code && code->run ? code : 0;
}

void kb_expression_inputs(unsigned number, uint64_t *start, uint64_t *operand)
{
	/* Shifts by one: larger ones leave nothing to shift the sooner. Elsewhere an odd number of many bits. */
	*operand = number == 4 || number == 6 ? 1 : 0x9e3779b97f4a7c15u;
	*start = 0xc2b2ae3d27d4eb4fu;
}

/* >> of a negative number is arithmetic with gcc and clang, as in the machine code. */
static uint64_t shift(uint64_t value, uint64_t by)
{
	return (uint64_t)((int64_t)value >> (by & 63));
}

static uint64_t step(unsigned number, uint64_t a, uint64_t b)
{
	switch (number) {
	case 1: return *(const uintptr_t *)(uintptr_t)a;
	case 2: return a ^ (a + a);
	case 3: return a ^ (a + a + a);
	case 4: return shift(a, b);
	case 5: return shift(a, a + a);
	case 6: return a ^ a << (b & 63);
	case 7: return a ^ (a + b);
	case 8: return a + ((a + b) & 7);
	default: return ((a + 1) ^ 1) << 1;
	}
}

uint64_t kb_expression_expect(unsigned number, uint64_t n, uint64_t start, uint64_t operand)
{
	while (n--)
		start = step(number, start, operand);
	return start;
}
