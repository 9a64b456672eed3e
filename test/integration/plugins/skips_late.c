/* Measures, and asks to be skipped once it knows what came of it. */
#include <unistd.h>

#include <kbench.h>

#define AT 100u         /* samples: more than the pilot takes */

static volatile uint64_t sink;

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		sink = sink * 3 + i;
	return 0;
}

/* The failure is of the plan, not of the operation. */
static int after(struct kb_run *run, uint64_t n)
{
	static unsigned samples;

	(void)n;
	if (++samples != AT)
		return 0;
	kb_skip(run, "enough");
	return close(STDIN_FILENO);
}

KB_BENCHMARK(.summary = "is skipped late", .per = "call", .op = op, .after = after);
