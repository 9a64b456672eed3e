/* Built for another kbench. */
#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	return 0;
}

const struct kb_bench kb_plugin = { .abi = KB_ABI + 1, .size = sizeof kb_plugin, .op = op };
