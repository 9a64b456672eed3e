/* FNV-1a of a text; the check hashes it byte by byte once more. */
#include <string.h>

#include "sum.h"

static unsigned char text[1024];

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

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n * once());
}

KB_BENCHMARK(
	.summary = "FNV-1a hash of 1 KB", .per = "hash", .bound = KB_LATENCY, .bytes_per_op = sizeof text,
	.setup = setup, .op = add_up, .check = check,
);
