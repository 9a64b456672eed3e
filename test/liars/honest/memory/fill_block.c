/* memset of a block, with another letter each time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <kbench.h>

static unsigned char *block;
static size_t bytes;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "size");
	block = malloc(bytes);
	if (!block)
		return kb_fail(run, ENOMEM, "memory");
	memset(block, 0, bytes);
	run->bytes_per_op = bytes;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		memset(block, (int)(n - i), bytes);
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	for (size_t i = 0; i < bytes; i++) {
		if (n > 0 && block[i] != 1)
			return kb_fail(run, EILSEQ, "a byte was left out");
	}
	block[0] = 0;
	return 0;
}

KB_BENCHMARK(
	.summary = "memset of a block", .per = "block", .bound = KB_ISSUE,
	.params = { { "size", "of the block", KB_SIZE, "4K", 64, UINT64_C(1) << 26, NULL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
