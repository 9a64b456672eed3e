/* Writes to address 0 in the operation, in a function whose name the report must give. */
#include <kbench.h>

static __attribute__((noinline)) void write_to_nowhere(volatile char *at)
{
	*at = 1;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)n;
	write_to_nowhere(run->state);
	return 0;
}

KB_BENCHMARK(.summary = "crashes", .per = "call", .op = op);
