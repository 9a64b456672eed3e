/*
 * An operation of a known number of instructions: ADDS of the environment (a multiple of 20, default 1000), each an add
 * that needs the one before. 1020 of them take 2 % longer than 1000. FAIL_CHECK makes it an operation that does nothing
 * it claims.
 */
#include <errno.h>
#include <stdlib.h>

#include <kbench.h>

#define STEP 20u
#define ADD(x) (x) += by; __asm__ volatile("" : "+r"(x));
#define ADD_5(x) ADD(x) ADD(x) ADD(x) ADD(x) ADD(x)

static uint64_t steps, result;
static volatile uint64_t step = 3;      /* in a register: additions of constants may vanish at rename and cost nothing */

static int setup(struct kb_run *run)
{
	const char *text = getenv("ADDS");
	unsigned long adds = text ? strtoul(text, NULL, 10) : 1000;

	if (adds == 0 || adds % STEP != 0)
		return kb_fail(run, EINVAL, "ADDS=%s is no multiple of %u", text, STEP);
	steps = adds / STEP;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t x = 0, by = step;

	(void)run;
	for (uint64_t i = 0; i < n * steps; i++) {
		ADD_5(x) ADD_5(x) ADD_5(x) ADD_5(x)
	}
	result = x;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (result != 3 * STEP * n * steps || getenv("FAIL_CHECK"))
		return kb_fail(run, EILSEQ, "the sum is wrong");
	return 0;
}

KB_BENCHMARK(
	.summary = "a chain of dependent adds",
	.per = "chain",
	.bound = KB_LATENCY,
	.setup = setup,
	.op = op,
	.check = check,
);
