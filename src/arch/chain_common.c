/*
 * The chains' callers and their oracle: what the final register must be, computed in C without the chain, and
 * whether the machine code is what it claims to be. Both are the evidence of results that no counter can see.
 */
#include "arch/chain.h"
#include "kbench_code.h"

#include "base/crc32.h"
#include "base/error.h"
#include "stamp.h"

uint64_t kb_chain(enum kb_chain chain, uint64_t n, uint64_t start, uint64_t operand)
{
	struct kb_loop_state state = { .start = start, .operand = operand };

	kb_code_run(&kb_chain_codes[chain], n, &state);
	return state.start;
}

uint64_t kb_code_run(const struct kb_chain_code *code, uint64_t n, struct kb_loop_state *state)
{
	state->loops = n / code->unroll;
	state->rest = n % code->unroll;
	code->run(state);
	return n - state->loops * code->unroll - state->rest;
}

const struct kb_chain_code *kb_chain_code(enum kb_chain chain)
{
	return &kb_chain_codes[chain];
}

/* Modulo 2^64, of which narrower registers hold the lower half. */
static uint64_t power(uint64_t base, uint64_t exponent)
{
	uint64_t result = 1;

	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result *= base;
		base *= base;
	}
	return result;
}

static uint64_t expect(enum kb_chain chain, uint64_t n, uint64_t start, uint64_t operand)
{
	switch (chain) {
	case KB_CHAIN_ADD:
	case KB_CHAIN_ISSUE: return start + n * operand;
	case KB_CHAIN_XOR: return n & 1 ? start ^ operand : start;
	case KB_CHAIN_IMUL: return start * power(operand, n);
	case KB_CHAIN_LOAD: /* the address n steps along a ring of pointers */
		while (n--)
			start = *(const uintptr_t *)(uintptr_t)start;
		return start;
	case KB_CHAINS:
		break;
	}
	return 0;
}

/* As wide as a register, which is as wide as a pointer. */
uint64_t kb_chain_expect(enum kb_chain chain, uint64_t n, uint64_t start, uint64_t operand)
{
	return (uintptr_t)expect(chain, n, start, operand);
}

int kb_chain_code_verify(const struct kb_chain_code *code, uint32_t *hash)
{
	size_t size = (size_t)(code->body_end - code->body);
	size_t copies = code->unroll / code->period;
	size_t step = size / copies;

	*hash = kb_crc32(0, code->body, size);
	if (!step || step * copies != size)
		return -KB_EINVAL;
	for (size_t i = step; i < size; i++) {
		if (code->body[i] != code->body[i - step])
			return -KB_EINVAL;
	}
	return 0;
}

int kb_chain_verify(enum kb_chain chain, uint32_t *hash)
{
	return kb_chain_code_verify(&kb_chain_codes[chain], hash);
}

/* An empty sample; 0 when it would be negative. */
static inline uint64_t stamp_pair(void)
{
	uint64_t begin = kb_stamp_begin(), end = kb_stamp_end();

	return begin <= end ? end : 0;
}

/* Inlined for each kind of stamp: a call through a pointer would cost as much as a light reading. Counts the readings
   that are not before the one before. */
static inline __attribute__((always_inline)) uint64_t read_n(uint64_t (*stamp)(void), uint64_t n, uint64_t *last)
{
	uint64_t ordered = 0, before = 0;

	while (n--) {
		uint64_t now = stamp();

		ordered += now >= before;
		before = now;
	}
	*last = before;
	return ordered;
}

uint64_t kb_count_readings(enum kb_reading reading, uint64_t n, uint64_t *last)
{
	switch (reading) {
	case KB_READ_LIGHT: return read_n(kb_stamp_light, n, last);
	case KB_READ_ORDERED: return read_n(kb_stamp_begin, n, last);
	case KB_READ_PAIR: return read_n(stamp_pair, n, last);
	}
	return 0;
}

uint64_t kb_read_clock(enum kb_reading reading, uint64_t n)
{
	uint64_t last = 0;

	return kb_count_readings(reading, n, &last) == n ? last : 0;
}
