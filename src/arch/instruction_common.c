/*
 * Finds the pieces of kbench_code.h, and is their oracle: what a chain must have computed after n operations. Integers
 * only, also for floating point: the inputs are chosen so that the result's bits are known in closed form.
 */
#include "arch/chain.h"
#include "extensions.h"

/* Bits of 1.0 and of its neighbour above, 1 + 2^-23 and 1 + 2^-52. */
#define ONE32 0x3f800000u
#define ONE64 0x3ff0000000000000u

static const struct kb_chain_code *here(const struct kb_chain_code *code)
{
	return code->run && kb_arch_has(code->needs) ? code : NULL;
}

const struct kb_chain_code *kb_code(enum kb_code code)
{
	return here(&kb_codes[code]);
}

const struct kb_chain_code *kb_code_parallel(enum kb_parallel op, unsigned width)
{
	static const unsigned char widths[KB_PARALLEL_KINDS] = { 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16 };

	for (unsigned i = 0; i < KB_PARALLEL_KINDS; i++) {
		if (widths[i] == width)
			return here(&kb_parallel_codes[op][i]);
	}
	return NULL;
}

const struct kb_chain_code *kb_code_vector(unsigned element_bits, unsigned vector_bits)
{
	return here(&kb_vector_codes[element_bits == 64][vector_bits == 512 ? 2 : vector_bits == 256]);
}

/*
 * start, operand. Dividers take time for each digit of the quotient: a dividend full of digits by 1, or a small one by a
 * large divisor. Roots: the largest number below 1 has all digits set and is its own root. Real products and quotients
 * by the neighbour of 1 move the mantissa by its last digit each time, so it tells n; by 1 they are short.
 */
static const struct inputs { uint64_t worst[2], best[2]; } inputs[KB_CODE_CHAIN_LAST + 1] = {
	[KB_CODE_ADD32] = { { 1, 0x9e3779b9 }, { 1, 0x9e3779b9 } },
	[KB_CODE_XOR32] = { { 1, 0x9e3779b9 }, { 1, 0x9e3779b9 } },
	[KB_CODE_MUL32] = { { 1, 0x9e3779b9 }, { 1, 0x9e3779b9 } },
	[KB_CODE_DIV32] = { { 0xf7654321, 1 }, { 1, 1 } },
	[KB_CODE_MOD32] = { { 0xf7654321, 7 }, { 1, 0x80000000 } },
	[KB_CODE_DIV64] = { { 0xf76543210fedcba9, 1 }, { 1, 1 } },
	[KB_CODE_MOD64] = { { 0xf76543210fedcba9, 7 }, { 1, 0x8000000000000000 } },
	[KB_CODE_FADD32] = { { ONE32, ONE32 }, { ONE32, ONE32 } },
	[KB_CODE_FMUL32] = { { ONE32, ONE32 + 1 }, { ONE32, ONE32 } },
	[KB_CODE_FDIV32] = { { ONE32 + (3u << 20), ONE32 + 1 }, { ONE32, ONE32 } },
	[KB_CODE_FSQRT32] = { { ONE32 - 1, 0 }, { ONE32, 0 } },
	[KB_CODE_FMA32] = { { ONE32, ONE32 }, { ONE32, ONE32 } },
	[KB_CODE_FADD64] = { { ONE64, ONE64 }, { ONE64, ONE64 } },
	[KB_CODE_FMUL64] = { { ONE64, ONE64 + 1 }, { ONE64, ONE64 } },
	[KB_CODE_FDIV64] = { { ONE64 + (3ull << 49), ONE64 + 1 }, { ONE64, ONE64 } },
	[KB_CODE_FSQRT64] = { { ONE64 - 1, 0 }, { ONE64, 0 } },
	[KB_CODE_FMA64] = { { ONE64, ONE64 }, { ONE64, ONE64 } },
};

void kb_code_inputs(enum kb_code code, bool best, uint64_t *start, uint64_t *operand)
{
	const uint64_t *from = best ? inputs[code].best : inputs[code].worst;

	*start = from[0];
	*operand = from[1];
}

/* The bits of a whole number below 2^fraction. */
static uint64_t real_bits(uint64_t value, unsigned fraction, uint64_t bias)
{
	unsigned exponent = 0;

	while (value >> exponent > 1)
		exponent++;
	return (bias + exponent) << fraction | (value << (fraction - exponent) & ((1ull << fraction) - 1));
}

uint64_t kb_code_expect(enum kb_code code, bool best, uint64_t n)
{
	uint64_t start, operand;

	kb_code_inputs(code, best, &start, &operand);
	switch (code) {
	case KB_CODE_ADD32: return (uint32_t)kb_chain_expect(KB_CHAIN_ADD, n, start, operand);
	case KB_CODE_XOR32: return kb_chain_expect(KB_CHAIN_XOR, n, start, operand);
	case KB_CODE_MUL32: return (uint32_t)kb_chain_expect(KB_CHAIN_IMUL, n, start, operand);
	case KB_CODE_MOD32: case KB_CODE_MOD64: /* value = value % operand + start; no product or sum of two remainders overflows */
		return n % operand * (start % operand) % operand + start;
	case KB_CODE_FADD32: case KB_CODE_FMA32: return real_bits(1 + n, 23, 127);
	case KB_CODE_FADD64: case KB_CODE_FMA64: return real_bits(1 + n, 52, 1023);
	case KB_CODE_FMUL32: case KB_CODE_FMUL64: return best ? start : start + n;
	case KB_CODE_FDIV32: case KB_CODE_FDIV64: return best ? start : start - n;
	default: return start; /* a quotient by 1, a root that is itself */
	}
}
