/*
 * sys.fstat: the state of an open file. The library may turn it into another call of the kernel (newfstatat with an
 * empty path): it is one call in any case.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

#define BYTES 4099u             /* of the file: a size that nothing else has by chance */

static int file = -1;
static uint64_t sum;

static int setup(struct kb_run *run)
{
	return kb_scratch_file(run, BYTES, &file);
}

static int op(struct kb_run *run, uint64_t n)
{
	struct stat found = { 0 };

	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (fstat(file, &found))
			return kb_fail(run, errno, "fstat");
		sum += (uint64_t)found.st_size;
		found.st_size = 0;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (sum != n * BYTES)
		return kb_fail(run, EPROTO, "the sum of %llu file sizes is wrong", (unsigned long long)n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(file);
}

KB_BENCHMARK(
	.summary = "fstat of an open file", .per = "call",
	.suite = KB_FULL, .portability = KB_PORTABLE, .lmbench = "lat_syscall fstat",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
