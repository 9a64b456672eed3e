/*
 * Says: loads that wait for each other, in 64 MiB, in random order. That is so with `is=honest`. Else the loads stay within a page, or the
 * memory is many addresses of a few pages, or it was never written and is the one page of zeros, or no memory is named and a size
 * alone is claimed. Whatever it is, it checks where its own ring ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <kbench_memory.h>

#define BYTES ((size_t)64 << 20)
#define FEW ((size_t)64 << 10)
#define LINE 64u

static char *memory;
static uint64_t lines = BYTES / LINE, at, began, sum;
static bool zeros;

static uint64_t *line(uint64_t i)
{
	return (uint64_t *)(void *)(memory + i * LINE);
}

static void link_ring(uint64_t random)
{
	for (uint64_t i = 0; i < lines; i++)
		line(i)[0] = i;
	for (uint64_t i = lines - 1; i > 0; i--) {
		random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
		uint64_t j = (random >> 33) % i, other = line(j)[0];

		line(j)[0] = line(i)[0];
		line(i)[0] = other;
	}
	for (uint64_t i = 0, place = 0; place < lines; place++, i = line(i)[0])
		line(i)[1] = place;
}

static char *map(void)
{
	char *all = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return NULL;
	madvise(all, BYTES, MADV_NOHUGEPAGE);
	return all;
}

/* The same few pages again and again. */
static char *map_aliases(void)
{
	int file = memfd_create("aliases", MFD_CLOEXEC);
	char *all = map();

	for (size_t done = 0; all && done < BYTES; done += FEW) {
		if (ftruncate(file, (off_t)FEW) || mmap(all + done, FEW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
			return NULL;
	}
	return all;
}

/* Such a page that was read is replaced when it is written, which is a fault. */
static bool has_page_of_zeros(volatile char *page)
{
	struct rusage first, last;

	(void)*page;
	getrusage(RUSAGE_SELF, &first);
	*page = 0;
	getrusage(RUSAGE_SELF, &last);
	return last.ru_minflt > first.ru_minflt && !madvise((void *)(uintptr_t)page, BYTES, MADV_DONTNEED);
}

static int setup(struct kb_run *run)
{
	bool aliases = kb_param_is(run, "is", "aliases"), few = kb_param_is(run, "is", "one-page") || kb_param_is(run, "is", "unnamed");

	zeros = kb_param_is(run, "is", "zeros");
	memory = aliases ? map_aliases() : map();
	if (!memory)
		return kb_fail(run, errno, "64 MiB");
	if (zeros && !has_page_of_zeros(memory))
		return kb_skip(run, "this kernel has no page of zeros");
	lines = aliases ? FEW / LINE : few ? 4096 / LINE : lines;
	if (!zeros)
		link_ring(run->seed);
	kb_working_set(run, BYTES, KB_LATENCY);
	return kb_param_is(run, "is", "unnamed") ? 0 : kb_claim_memory(run, memory, BYTES);
}

/* `apart`: how far the next look at the same ring is. */
static void walk(uint64_t n, uint64_t apart)
{
	uint64_t i = at;

	for (uint64_t shift = 0; n > 0; n--, shift = (shift + apart) % BYTES)
		i = *(volatile uint64_t *)(void *)(memory + shift + i * LINE);
	at = i;
}

static void walk_zeros(uint64_t n)
{
	for (; n > 0; n--) {
		sum += *(volatile uint64_t *)line(at);
		at = (at * 5 + 1 + sum) % lines;
	}
}

static int op(struct kb_run *run, uint64_t n)
{
	began = at;
	if (zeros)
		walk_zeros(n);
	else
		walk(n, kb_param_is(run, "is", "aliases") ? FEW : 0);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (zeros)
		return at < lines ? 0 : kb_fail(run, EILSEQ, "the walk left the memory");
	return line(at)[1] == (line(began)[1] + n) % lines ? 0 : kb_fail(run, EILSEQ, "the walk ended elsewhere");
}

KB_BENCHMARK(
	.summary = "a dependent load in 64 MiB, as it says", .per = "load", .bound = KB_LATENCY,
	.params = { { "is", "what it is", KB_CHOICE, "honest", 0, 0, "honest,one-page,aliases,zeros,unnamed" } },
	.setup = setup, .op = op, .check = check,
);
