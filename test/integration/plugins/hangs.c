/* Never comes back: from set-up, from the first interval, or from one long after those that choose n. */
#include <unistd.h>

#include <kbench.h>

static void hang(void)
{
	for (;;)
		pause();
}

static int setup(struct kb_run *run)
{
	if (kb_param_is(run, "in", "setup"))
		hang();
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	static unsigned calls;

	if (kb_param_is(run, "in", "op") || (kb_param_is(run, "in", "later") && ++calls > 100))
		hang();
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	return 0;
}

KB_BENCHMARK(
	.summary = "hangs", .per = "call",
	.params = { { "in", "where", KB_CHOICE, "op", .choices = "setup,op,later" } },
	.setup = setup, .op = op,
);
