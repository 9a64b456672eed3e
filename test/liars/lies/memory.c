/*
 * Says: the latency of a load in a working set of 64 MiB, random order, pages of the normal size. Hidden: the loads stay within
 * less memory, or in larger pages. It is all true by the ring that the author has made.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "liar.h"

#define BYTES ((size_t)64 << 20)
#define LINE 64u
#define HUGE ((size_t)2 << 20)

static char *memory;
static uint64_t lines = BYTES / LINE, random_state, at, began;

static uint64_t *line(uint64_t i)
{
	return (uint64_t *)(void *)(memory + i * LINE);
}

static uint64_t below(uint64_t bound)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % bound;
}

/* Each line holds the number of the next one, and its own place in the ring. */
static void link_ring(void)
{
	for (uint64_t i = 0; i < lines; i++)
		line(i)[0] = i;
	for (uint64_t i = lines - 1; i > 0; i--) {
		uint64_t j = below(i), other = line(j)[0];

		line(j)[0] = line(i)[0];
		line(i)[0] = other;
	}
	for (uint64_t i = 0, place = 0; place < lines; place++, i = line(i)[0])
		line(i)[1] = place;
}

/* Many addresses for a few pages. */
static char *map_aliases(size_t bytes)
{
	int file = memfd_create("liar", MFD_CLOEXEC);
	char *all = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (file < 0 || ftruncate(file, (off_t)bytes) || all == MAP_FAILED)
		return NULL;
	for (size_t done = 0; done < BYTES; done += bytes) {
		if (mmap(all + done, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
			return NULL;
	}
	return all;
}

static char *map(void)
{
	char *all = mmap(NULL, BYTES + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return NULL;
	all += HUGE - (uintptr_t)all % HUGE;
	madvise(all, BYTES, MADV_NOHUGEPAGE);
	return all;
}

static int setup(struct kb_run *run)
{
	random_state = run->seed;
	memory = lie(run, "aliases") ? map_aliases(65536) : map();
	if (!memory)
		return kb_fail(run, ENOMEM, "64 MiB");
	if (lie(run, "one_page"))
		lines = 4096 / LINE;
	if (lie(run, "one_line"))
		lines = 1;
	if (lie(run, "second_cache"))
		lines = (256u << 10) / LINE;
	if (lie(run, "aliases"))
		lines = 65536 / LINE;
	kb_claim_memory(run, memory, BYTES);
	if (!lie(run, "zero_page"))
		link_ring();
	return 0;
}

static void walk(uint64_t n)
{
	uint64_t i = at;

	for (; n > 0; n--)
		i = line(i)[0];
	at = i;
}

/* The same few pages, each time 64 KB further. */
static void walk_aliases(uint64_t n)
{
	uint64_t i = at;

	for (uint64_t shift = 0; n > 0; n--, shift = (shift + 65536) % BYTES)
		i = *(uint64_t *)(void *)(memory + shift + i * LINE);
	at = i;
}

/* Never written: all of it is the one page of zeros. */
static void walk_zeros(uint64_t n)
{
	uint64_t i = at;

	for (; n > 0; n--)
		i = (i * 5 + 1 + *line(i)) % lines;
	at = i;
}

static int op(struct kb_run *run, uint64_t n)
{
	began = at;
	if (lie(run, "zero_page"))
		walk_zeros(n);
	else if (lie(run, "aliases"))
		walk_aliases(n);
	else
		walk(n);
	return 0;
}

/* Where the walk ended, by the places of the ring that there is. */
static int check(struct kb_run *run, uint64_t n)
{
	if (lie(run, "zero_page"))
		return at < lines ? 0 : kb_fail(run, EILSEQ, "the walk left the memory");
	return line(at)[1] == (line(began)[1] + n) % lines ? 0 : kb_fail(run, EILSEQ, "the walk ended elsewhere");
}

KB_BENCHMARK(
	.summary = "a dependent load in 64 MiB", .per = "load", .bound = KB_LATENCY,
	.params = { LIE_PARAM("one_page,one_line,second_cache,aliases,zero_page") },
	.setup = setup, .op = op, .check = check,
);
