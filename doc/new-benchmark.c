/*
 * NAME: what does one call of a function cost? `kbench new benchmark` has written this file; it works as it stands.
 *
 *     cc -O2 NAME.c $(pkg-config --cflags --libs kbench) -o NAME && ./NAME
 *
 * ./NAME --help prints the options; kbench(3) and doc/add-a-benchmark.md explain the rest.
 */
#include <errno.h>
#include <string.h>

#include <kbench.h>

static char text[4096];
static size_t bytes, sum;

/* The function to measure. Put yours here, or include its header and link it. */
static size_t work(const char *at)
{
	return strlen(at);
}

/* Once a process, not timed: makes what the operation needs. */
static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "bytes");
	memset(text, 'a', bytes);
	return 0;
}

/* Timed: exactly n operations and nothing else. Where a call fails: return kb_fail(run, errno, "read"); */
static int operation(struct kb_run *run, uint64_t n)
{
	size_t total = 0;       /* in a register: adding to memory takes several cycles */

	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		total += work(text);
		kb_clobber();   /* or the compiler would call it once and multiply */
	}
	sum = total;
	return 0;
}

/* The empty loop: the same without the operation. Its cost is subtracted. */
static int empty_loop(struct kb_run *run, uint64_t n)
{
	size_t total = 0;

	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		total += bytes;
		kb_clobber();
	}
	sum = total;
	return 0;
}

/* After each sample, not timed: did the operation happen n times? Without a check or an expectation the verdict is `unverified`. */
static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * bytes ? 0 : kb_fail(run, EILSEQ, "a length is wrong");
}

static const struct kb_bench bench = {
	KB_BENCH("NAME"),
	.summary = "length of a text", .per = "call",
	.bound = KB_LATENCY,    /* leave it out for what enters the kernel */
	/* -p bytes=16,256 sweeps it; the first value is the default */
	.params = { { "bytes", "length of the text", KB_NUMBER, "64,1024", 1, sizeof text - 1, NULL } },
	/* what an operation does to the system; the engine counts it */
	.expect = { { KB_SYSCALLS, .per_op = 0, .who = KB_ALL } },
	.setup = setup, .op = operation, .base = empty_loop, .check = check,
};

KB_MAIN_OF(&bench)
