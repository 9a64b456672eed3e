/*
 * Rows of a known decision when SIDE=b is compared with anything else: four times as slow, the same, one that cannot be
 * measured on that side, one that fails there, and one that does not end there. A process without SIDE measures all of them, but
 * FAIL=1 fails too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kbench.h>

#define ADD(x) (x) += by; __asm__ volatile("" : "+r"(x));

static volatile uint64_t step = 3;      /* in a register: additions of constants may vanish at rename and cost nothing */
static uint64_t result, repeats;
static int side_b;

static int setup(struct kb_run *run)
{
	const char *side = getenv("SIDE");

	side_b = side && strcmp(side, "b") == 0;
	repeats = side_b && kb_param_is(run, "row", "slow") ? 400 : 100;
	if (side_b && kb_param_is(run, "row", "skips"))
		return kb_skip(run, "not on side b");
	while (side_b && kb_param_is(run, "row", "hangs"))
		pause();
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t x = 0, by = step;

	(void)run;
	for (uint64_t i = 0; i < n * repeats; i++) {
		ADD(x) ADD(x) ADD(x) ADD(x) ADD(x)
	}
	result = x;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	if (kb_param_is(run, "row", "broken") && (side_b || getenv("FAIL")))
		return kb_fail(run, EILSEQ, "told to fail");
	return 0;
}

KB_BENCHMARK(
	.summary = "adds, and a decision by row",
	.per = "chain",
	.bound = KB_LATENCY,
	.params = { { "row", "what it comes to", KB_CHOICE, "same", .choices = "slow,same,skips,broken,hangs" } },
	.setup = setup,
	.op = op,
	.check = check,
);
