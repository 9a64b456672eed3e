/*
 * sort.h - for what sorts COUNT numbers, in disorder anew each time. The benchmark defines COUNT, and `sort`, which sorts `numbers`.
 */
#include <errno.h>
#include <string.h>

#include <kbench.h>

static int disorder[COUNT], numbers[COUNT];

static void sort(void);

static int make_disorder(struct kb_run *run)
{
	uint64_t state = run->seed;

	for (unsigned i = 0; i < COUNT; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		disorder[i] = (int)(state >> 40);
	}
	return 0;
}

static int sort_anew(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		memcpy(numbers, disorder, sizeof numbers);
		sort();
		kb_clobber();
	}
	return 0;
}

static int check_sorted(struct kb_run *run, uint64_t n)
{
	for (unsigned i = 1; i < COUNT; i++) {
		if (numbers[i - 1] > numbers[i])
			return kb_fail(run, EILSEQ, "the numbers are in disorder");
	}
	/* The next sample must sort again. */
	memcpy(numbers, disorder, sizeof numbers);
	return n > 0 ? 0 : kb_fail(run, EINVAL, "nothing was sorted");
}
