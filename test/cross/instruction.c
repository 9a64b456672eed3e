/*
 * Every piece of kbench_code.h that this processor has, against its oracle, and whether it counts what it executes. Under
 * an emulator in the self test of check-cross, on the machine itself in test/unit/arch/test_instruction.c.
 */
#include "arch/chain.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *kb_instruction_fault(void);

static const uint64_t lengths[] = { 0, 1, 99, 100, 101, 250, 1000, 1234 };

static bool is_whole(const struct kb_chain_code *code)
{
	uint32_t hash;

	return kb_chain_code_verify(code, &hash) == 0 && hash;
}

static bool chain_computes(enum kb_code name, bool best)
{
	const struct kb_chain_code *code = kb_code(name);

	for (unsigned i = 0; code && i < COUNT(lengths); i++) {
		struct kb_loop_state state = { 0 };

		kb_code_inputs(name, best, &state.start, &state.operand);
		if (kb_code_run(code, lengths[i], &state) != lengths[i] || state.start != kb_code_expect(name, best, lengths[i]))
			return false;
	}
	return !code || is_whole(code);
}

/* What the cell and the register must hold: the meaning of each operation, in C. */
static void atomic_step(enum kb_code name, uint64_t operand, uint64_t *cell, uint64_t *value)
{
	uint64_t old = *cell;

	switch (name) {
	case KB_CODE_XADD:
		*cell += *value;
		*value = old;
		break;
	case KB_CODE_SWAP:
		*cell = *value;
		*value = old + operand;
		break;
	case KB_CODE_FENCE:
		*cell = *value;
		*value += operand;
		break;
	default:
		*cell += operand;
		*value = *cell;
	}
}

static bool atomic_computes(enum kb_code name)
{
	const struct kb_chain_code *code = kb_code(name);

	for (unsigned i = 0; code && i < COUNT(lengths); i++) {
		uint64_t cell = 5, expected = 5, value = 5;
		struct kb_loop_state state = { .start = 5, .operand = 3, .more = { (uintptr_t)&cell } };

		for (uint64_t n = 0; n < lengths[i]; n++)
			atomic_step(name, 3, &expected, &value);
		if (kb_code_run(code, lengths[i], &state) != lengths[i] || cell != expected)
			return false;
		if (name != KB_CODE_PLAIN && name != KB_CODE_LLSC && state.start != value)
			return false;
	}
	return !code || is_whole(code);
}

static bool barrier_counts(enum kb_code name)
{
	struct kb_loop_state state = { 0 };

	return !kb_code(name) || (kb_code_run(kb_code(name), 101, &state) == 101 && is_whole(kb_code(name)));
}

/* 1.0, and what it becomes when 1.0 is added to it 240 / width times; multiplied it stays. */
static uint64_t after_steps(enum kb_parallel op, uint64_t start, uint64_t operand, unsigned steps)
{
	for (unsigned i = 0; i < steps && op == KB_PARALLEL_MUL; i++)
		start *= operand;
	if (op == KB_PARALLEL_ADD)
		return start + steps * operand;
	if (op != KB_PARALLEL_FADD && op != KB_PARALLEL_FMA)
		return start;
	uint64_t value = 1 + steps, exponent = 0;

	while (value >> exponent > 1)
		exponent++;
	return (1023 + exponent) << 52 | (value << (52 - exponent) & 0xfffffffffffff);
}

static bool parallel_computes(enum kb_parallel op, unsigned width)
{
	const struct kb_chain_code *code = kb_code_parallel(op, width);
	struct kb_loop_state state = { .operand = 5 };
	bool real = op >= KB_PARALLEL_FADD;

	if (!code)
		return true;
	for (unsigned i = 0; i < KB_LOOP_MORE; i++)
		state.more[i] = real ? 0x3ff0000000000000u : i + 1;
	if (real)
		state.operand = 0x3ff0000000000000u;
	if (kb_code_run(code, 2 * KB_PARALLEL_UNROLL, &state) != 2 * KB_PARALLEL_UNROLL || !is_whole(code))
		return false;
	for (unsigned i = 0; i < KB_LOOP_MORE; i++) {
		uint64_t start = real ? 0x3ff0000000000000u : i + 1;

		if (state.more[i] != (i < width ? after_steps(op, start, state.operand, 480 / width) : start))
			return false;
	}
	return true;
}

/* float 1.0 + 40 x 1.0 = 41.0, double the same. */
static bool vector_computes(unsigned element, unsigned width)
{
	static union { uint32_t singles[16]; uint64_t doubles[8]; } memory[KB_ACCUMULATORS + 1] __attribute__((aligned(64)));
	const struct kb_chain_code *code = kb_code_vector(element, width);
	struct kb_loop_state state = { .start = (uintptr_t)memory };

	if (!code)
		return true;
	for (unsigned i = 0; i < COUNT(memory) * 16; i++) {
		if (element == 32)
			memory[i / 16].singles[i % 16] = 0x3f800000;
		else
			memory[i / 16].doubles[i % 16 / 2] = 0x3ff0000000000000u;
	}
	if (kb_code_run(code, 480, &state) != 480 || !is_whole(code))
		return false;
	for (unsigned i = 0; i < KB_ACCUMULATORS * width / element; i++) {
		unsigned which = i / (width / element), lane = i % (width / element);

		if (element == 32 ? memory[which].singles[lane] != 0x42240000 :
				    memory[which].doubles[lane] != 0x4044800000000000u)
			return false;
	}
	return true;
}

/* Bytes 0, 1, 2, 3 ... of 64, from position 10. */
static bool bytes_are_read(enum kb_code name)
{
	unsigned char bytes[64];
	struct kb_loop_state state = { .start = 7, .operand = (uintptr_t)bytes, .more = { 63, 10 } };
	uint64_t sum = 7;

	for (unsigned i = 0; i < 64; i++)
		bytes[i] = (unsigned char)(name == KB_CODE_JUMP ? i : i % 3);
	for (unsigned i = 0; i < 1000; i++)
		sum += name == KB_CODE_JUMP ? bytes[(10 + i) % 64] + 1u : bytes[(10 + i) % 64] != 0;
	return kb_code_run(kb_code(name), 1000, &state) == 1000 && state.start == sum && state.more[1] == 1010 % 64 &&
	       is_whole(kb_code(name));
}

static bool calls_nest(void)
{
	for (unsigned depth = 1; depth <= 64; depth++) {
		struct kb_loop_state state = { .start = 7, .operand = 3, .more = { depth } };

		if (kb_code_run(kb_code(KB_CODE_CALL), 10, &state) != 10 || state.start != 7 + 30 * depth)
			return false;
	}
	return is_whole(kb_code(KB_CODE_CALL));
}

static bool pointers_are_followed(enum kb_code name)
{
	uint64_t ring[7];

	for (unsigned i = 0; i < 7; i++)
		ring[i] = (uintptr_t)&ring[(i + 3) % 7];
	for (unsigned fillers = 0; fillers <= KB_FILLERS; fillers += 64) {
		struct kb_loop_state state = { .start = (uintptr_t)ring, .operand = fillers, .more = { (uintptr_t)&ring[1] } };

		if (kb_code_run(kb_code(name), 5, &state) != 5 || state.start != (uintptr_t)&ring[1] ||
		    state.more[0] != (uintptr_t)&ring[2])
			return false;
	}
	return is_whole(kb_code(name));
}

/* What the other checks pass over because this processor lacks it must still be in the tables of its architecture. */
static bool is_complete(void)
{
	bool whole = true;

	for (unsigned name = 0; name < KB_CODES; name++) {
		if (name <= KB_CODE_SWAP || name == KB_CODE_FENCE || name == KB_CODE_PLAIN || name >= KB_CODE_BRANCH)
			whole &= kb_codes[name].run != NULL;
	}
	for (unsigned i = 0; i < 9 * KB_PARALLELS; i++) /* up to 12 registers */
		whole &= kb_parallel_codes[i / 9][i % 9].run != NULL;
	return whole;
}

static const char *chains_and_cells(void)
{
	if (!is_complete())
		return "a piece that every architecture has is missing";
	for (unsigned name = 0; name <= KB_CODE_CHAIN_LAST; name++) {
		if (!chain_computes(name, false) || !chain_computes(name, true))
			return "an instruction of a chain has a wrong result";
	}
	for (unsigned name = KB_CODE_XADD; name <= KB_CODE_PLAIN; name++) {
		if (!atomic_computes(name))
			return "an atomic operation has a wrong result";
	}
	for (unsigned name = KB_CODE_CPUID; name <= KB_CODE_FENCE_I; name++) {
		if (!barrier_counts(name))
			return "a barrier is not counted";
	}
	return NULL;
}

static const char *independent(void)
{
	for (unsigned op = 0; op < KB_PARALLELS; op++) {
		for (unsigned width = 1; width <= KB_LOOP_MORE; width++) {
			if (!parallel_computes(op, width))
				return "independent chains have a wrong result";
		}
	}
	for (unsigned i = 0; i < 6; i++) {
		if (!vector_computes(i & 1 ? 64 : 32, 128u << i / 2))
			return "a vector has a wrong result";
	}
	return NULL;
}

/* The first piece that does not do what it claims; NULL: none. */
const char *kb_instruction_fault(void)
{
	const char *fault = chains_and_cells();

	if (!fault)
		fault = independent();
	if (!fault && (!bytes_are_read(KB_CODE_BRANCH) || !bytes_are_read(KB_CODE_JUMP)))
		fault = "branches count wrong";
	if (!fault && !calls_nest())
		fault = "calls nest wrong";
	for (unsigned name = KB_CODE_WINDOW_NOP; name <= KB_CODE_WINDOW_MIXED; name++)
		fault = fault ? fault : pointers_are_followed(name) ? NULL : "a window follows wrong pointers";
	return fault;
}
