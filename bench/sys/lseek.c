/* sys.lseek: set the position of an open file, two places by turns. It needs no disk: only the position is written. */
#include <errno.h>
#include <unistd.h>

#include <kbench_files.h>

#define BYTES 8192u
#define STEP 4096u

static int file = -1;
static uint64_t sum;

static int setup(struct kb_run *run)
{
	return kb_scratch_file(run, BYTES, &file);
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		off_t at = lseek(file, (off_t)(1 + i % 2 * STEP), SEEK_SET);

		if (at < 0)
			return kb_fail(run, errno, "lseek");
		sum += (uint64_t)at;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (sum != n + n / 2 * STEP)
		return kb_fail(run, EPROTO, "the sum of %llu positions is wrong", (unsigned long long)n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(file);
}

KB_BENCHMARK(
	.summary = "lseek: set the position of an open file", .per = "call",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
