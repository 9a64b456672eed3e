/*
 * Says: 4 KB are copied in an operation. Hidden: bytes that nobody moved, by a wrong unit or a shorter copy. The lies report more
 * than the load and store paths of any core can do.
 */
#include <string.h>

#include "liar.h"

#define BYTES 4096u

static unsigned char from[BYTES], to[BYTES];
static size_t bytes = BYTES;
static unsigned skipped;

static int setup(struct kb_run *run)
{
	memset(from, 7, sizeof from);
	memset(to, 0, sizeof to);
	if (lie(run, "kilobytes"))
		run->bytes_per_op = BYTES * 1000u;
	if (lie(run, "bits"))
		run->bytes_per_op = 2 * BYTES * 8u;
	if (lie(run, "pages"))
		run->bytes_per_op = BYTES * (uint64_t)BYTES;
	if (lie(run, "all_there_are"))
		run->bytes_per_op = UINT64_MAX;
	if (lie(run, "one_line"))
		bytes = 64;
	if (lie(run, "one_word"))
		bytes = sizeof(char *);
	if (lie(run, "one_of_sixteen"))
		skipped = 15;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		if ((i & skipped) == 0)
			memcpy(to, from, bytes);
		kb_clobber();
	}
	return 0;
}

/* As far as the author looks. */
static int check(struct kb_run *run, uint64_t n)
{
	unsigned char last = to[bytes - 1];

	memset(to, 0, sizeof to);
	return n == 0 || last == 7 ? 0 : kb_fail(run, EILSEQ, "the last byte was not copied");
}

KB_BENCHMARK(
	.summary = "a copy of 4 KB within the first cache", .per = "copy", .bound = KB_ISSUE, .bytes_per_op = BYTES,
	.params = { LIE_PARAM("kilobytes,bits,pages,all_there_are,one_line,one_word,one_of_sixteen") },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
