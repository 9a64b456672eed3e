/* Divisions that wait for each other. */
#include <errno.h>

#include <kbench.h>

static volatile uint64_t one = 1;
static uint64_t sum;

static uint64_t once(void)
{
	uint64_t value = 1000, divisor = one;

	for (int i = 0; i < 20; i++)
		value = value / divisor;
	return value;
}

static int setup(struct kb_run *run)
{
	(void)run;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		sum += once();
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * 1000 ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}

KB_BENCHMARK(
	.summary = "twenty dependent divisions", .per = "chain", .bound = KB_LATENCY,
	.setup = setup, .op = op, .check = check,
);
