/* memcpy of a block, and what it leaves behind. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <kbench.h>

static unsigned char *from, *to;
static size_t bytes;
static unsigned char round;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "size");
	from = malloc(bytes);
	to = malloc(bytes);
	if (!from || !to)
		return kb_fail(run, ENOMEM, "memory");
	memset(from, 0, bytes);
	memset(to, 1, bytes);
	run->bytes_per_op = bytes;
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	memset(from, ++round, bytes);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		memcpy(to, from, bytes);
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return n == 0 || memcmp(to, from, bytes) == 0 ? 0 : kb_fail(run, EILSEQ, "the copy is another one");
}

KB_BENCHMARK(
	.summary = "memcpy of a block", .per = "copy", .bound = KB_ISSUE,
	.params = { { "size", "of the block", KB_SIZE, "4K", 64, UINT64_C(1) << 26, NULL } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
