/* A benchmark that is right, in a locale whose numbers have a decimal comma. */
#include <errno.h>
#include <locale.h>
#include <unistd.h>

#include <kbench.h>

static int setup(struct kb_run *run)
{
	if (!setlocale(LC_ALL, "kb_comma") || localeconv()->decimal_point[0] != ',')
		return kb_fail(run, EINVAL, "there is no locale with a comma");
	kb_expect(run, KB_MAJFLT, 0, 0.0125);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(getppid());
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	kb_covariate(run, "half", 0.5);
	return 0;
}

KB_BENCHMARK(
	.summary = "a system call, in a locale with a decimal comma",
	.per = "call",
	.bound = KB_KERNEL,
	.expect = { { KB_SYSCALLS, .per_op = 1, .tolerance = 0.01 }, { KB_MINFLT, .per_op = 0, .tolerance = 0.015 } },
	.setup = setup,
	.op = op,
	.base = kb_empty_loop,
	.check = check,
);
