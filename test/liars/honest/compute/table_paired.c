/* Filling a hash table that must be empty before. */
#include <errno.h>
#include <string.h>

#include <kbench.h>

#define COUNT 1024u
#define SLOTS 2048u

static uint64_t slots[SLOTS], keys[COUNT];

static int setup(struct kb_run *run)
{
	uint64_t state = run->seed | 1;

	for (unsigned i = 0; i < COUNT; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		keys[i] = state | 1;
	}
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	memset(slots, 0, sizeof slots);
	kb_clobber();
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = (keys[i] >> 32) % SLOTS;

		while (slots[at])
			at = (at + 1) % SLOTS;
		slots[at] = keys[i];
	}
	kb_clobber();
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(keys[i]);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < SLOTS; i++)
		count += slots[i] != 0;
	return count == n ? 0 : kb_fail(run, EILSEQ, "the table has %llu keys", (unsigned long long)count);
}

KB_BENCHMARK(
	.summary = "filling a hash table", .per = "key", .bound = KB_LATENCY, .method = KB_PAIRED, .granule = COUNT,
	.setup = setup, .before = before, .op = op, .base = base, .check = check,
);
