/* FNV-1a of a text; the check hashes it byte by byte once more. */
#include <errno.h>
#include <string.h>

#include <kbench.h>

static unsigned char text[1024];
static uint64_t sum;

static uint64_t once(void)
{
	uint64_t value = 0xcbf29ce484222325u;

	for (size_t i = 0; i < sizeof text; i++)
		value = (value ^ text[i]) * 0x100000001b3u;
	return value;
}

static int setup(struct kb_run *run)
{
	(void)run;
	memset(text, 'a', sizeof text);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		sum += once();
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * once() ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}

KB_BENCHMARK(
	.summary = "FNV-1a hash of 1 KB", .per = "hash", .bound = KB_LATENCY, .bytes_per_op = sizeof text,
	.setup = setup, .op = op, .check = check,
);
