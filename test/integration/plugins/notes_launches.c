/*
 * A good benchmark that keeps books outside the store: each measuring launch adds a line to the file that
 * KB_TEST_LAUNCHES names, when its record is written and the collector ends.
 */
#define _GNU_SOURCE
#include <kbench.h>

#include "launches.h"

static __attribute__((destructor)) void note(void)
{
	note_launch();
}

static int op(struct kb_run *run, uint64_t n)
{
	kb_count(run, KB_SEEN, n);
	return 0;
}

/* max_n: processes of single operations are the shortest, so that many are interrupted while they are saved. */
KB_BENCHMARK(
	.summary = "notes its launches", .per = "call", .max_n = 1,
	.params = { { "row", "makes rows", KB_NUMBER, "1", 1, 1000, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 } },
	.op = op,
);
