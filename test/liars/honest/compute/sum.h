/*
 * sum.h - for what computes a number each time: `add_up` is the op, and `sums_to` checks what each of them must be. The benchmark
 * defines `once`, which computes it.
 */
#include <errno.h>

#include <kbench.h>

static uint64_t sum;

static uint64_t once(void);

static int add_up(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		sum += once();
		kb_clobber();
	}
	return 0;
}

static int sums_to(struct kb_run *run, uint64_t expected)
{
	return sum == expected ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}
