/* Fails where it is told to, with an errno and a text that the report must repeat. */
#include <errno.h>

#include <kbench.h>

static uint64_t done;

static int fail_in(struct kb_run *run, const char *stage)
{
	return kb_param_is(run, "in", stage) ? kb_fail(run, ENOTTY, "told to fail in %s", stage) : 0;
}

static int setup(struct kb_run *run)
{
	return fail_in(run, "setup");
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return fail_in(run, "before");
}

/* Half-way: long after the intervals that choose n. */
static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	done += n;
	return done > 1000000 ? fail_in(run, "op") : 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return fail_in(run, "check");
}

KB_BENCHMARK(
	.summary = "fails", .per = "call",
	.params = { { "in", "where", KB_CHOICE, "setup", .choices = "setup,before,op,check" } },
	.setup = setup, .before = before, .op = op, .check = check,
);
