/* Leaves in the middle of an interval as if all were well. */
#include <unistd.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	if (n > 100)
		_exit(0);
	return 0;
}

KB_BENCHMARK(.summary = "exits", .per = "call", .op = op);
