/* An atomic addition to a word of one's own, or by compare-and-swap. */
#include <errno.h>

#include <kbench.h>

static uint64_t word, before_sample;
static bool swaps;

static int setup(struct kb_run *run)
{
	swaps = kb_param_is(run, "by", "swap");
	return 0;
}

static void add_by_swap(void)
{
	uint64_t old = __atomic_load_n(&word, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&word, &old, old + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		continue;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	before_sample = word;
	for (uint64_t i = 0; i < n && swaps; i++)
		add_by_swap();
	for (uint64_t i = 0; i < n && !swaps; i++)
		__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return word == before_sample + n ? 0 : kb_fail(run, EILSEQ, "the word is wrong");
}

KB_BENCHMARK(
	.summary = "an atomic addition", .per = "addition", .bound = KB_LATENCY,
	.params = { { "by", "which way", KB_CHOICE, "add", .choices = "add,swap" } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
