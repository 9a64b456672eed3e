/* A sum over an array: each word is read once. */
#include <errno.h>
#include <stdlib.h>

#include <kbench.h>

static uint64_t *words, count, sum;

static int setup(struct kb_run *run)
{
	count = kb_param_number(run, "size") / sizeof *words;
	words = malloc(count * sizeof *words);
	if (!words)
		return kb_fail(run, ENOMEM, "memory");
	for (uint64_t i = 0; i < count; i++)
		words[i] = i;
	run->bytes_per_op = count * sizeof *words;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < count; k++)
			sum += words[k];
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * (count * (count - 1) / 2) ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

KB_BENCHMARK(
	.summary = "the sum of an array", .per = "array", .bound = KB_ISSUE,
	.params = { { "size", "of the array", KB_SIZE, "8K", 64, UINT64_C(1) << 26, NULL } },
	.setup = setup, .op = op, .check = check,
);
