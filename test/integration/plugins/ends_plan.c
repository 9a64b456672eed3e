/* Takes the rest of the plan out of its collector's hands with the first sample, when no more of it is read yet: the record
   ends well. */
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>

static volatile uint64_t sink;

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		sink = sink * 3 + i;
	return 0;
}

static int end_plan(struct kb_run *run)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return null < 0 || dup2(null, STDIN_FILENO) < 0 ? kb_fail(run, 0, "/dev/null") : close(null);
}

static int after(struct kb_run *run, uint64_t n)
{
	static unsigned samples;

	(void)n;
	return samples++ == 0 ? end_plan(run) : 0;
}

KB_BENCHMARK(.summary = "ends its plan", .per = "call", .op = op, .after = after);
