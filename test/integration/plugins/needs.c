/* Needs what a test can take away. */
#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	return 0;
}

KB_BENCHMARK(.summary = "needs", .per = "call", .bound = KB_ISSUE, .needs = NEEDS, .op = op);
