/* One read into eight places. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include <kbench.h>
#include <kbench_files.h>

#define PIECES 8
#define BYTES 512

static char block[PIECES][BYTES];
static struct iovec pieces[PIECES];
static int file = -1;

static int setup(struct kb_run *run)
{
	for (int i = 0; i < PIECES; i++)
		pieces[i] = (struct iovec){ block[i], BYTES };
	return kb_scratch_file(run, PIECES * BYTES, &file);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (preadv(file, pieces, PIECES, 0) != PIECES * BYTES)
			return kb_fail(run, errno, "preadv");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "preadv into eight places", .per = "call", .bytes_per_op = PIECES * BYTES,
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
