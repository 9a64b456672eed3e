/* Closes every file descriptor, the plan's and the record's among them. */
#define _GNU_SOURCE
#include <unistd.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	close_range(0, ~0u, 0);
	return 0;
}

KB_BENCHMARK(.summary = "closes its file descriptors", .per = "call", .bound = KB_ISSUE, .op = op);
