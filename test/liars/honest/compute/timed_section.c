/* The middle of three steps: only that is timed, by the benchmark itself. */
#include <errno.h>
#include <string.h>

#include <kbench.h>

#define BYTES 4096u

static unsigned char text[BYTES], copy[BYTES];
static uint64_t equal;

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	*ticks = equal = 0;
	for (uint64_t i = 0; i < n; i++) {
		memset(text, (int)i, BYTES);
		kb_clobber();

		uint64_t begin = kb_now(run);

		for (unsigned k = 0; k < BYTES; k++)
			copy[k] = (unsigned char)(text[BYTES - 1 - k] + 1);
		kb_clobber();
		*ticks += kb_now(run) - begin;
		equal += copy[0] == (unsigned char)(i + 1) && copy[BYTES - 1] == copy[0];
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return equal == n ? 0 : kb_fail(run, EILSEQ, "a copy is wrong");
}

KB_BENCHMARK(
	.summary = "a text turned round, without its making", .per = "text", .bound = KB_ISSUE,
	.observe = observe, .check = check,
);
