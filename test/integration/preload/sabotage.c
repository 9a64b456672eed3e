/*
 * Loaded into the collector before it starts: every benchmark's operation then does another number of operations than
 * it was asked for, SABOTAGE=none, half or double, while everything else goes on as if nothing had happened. What a
 * benchmark claims of itself must not hold any more. A program that has no benchmarks is left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define BENCHES_MAX 1000

static const struct kb_bench *originals[BENCHES_MAX];
static struct kb_bench copies[BENCHES_MAX];
static char mode;       /* n, h, d */

static uint64_t other(const struct kb_run *run, uint64_t n)
{
	uint64_t granule = run->granule ? run->granule : 1, less = n / 2 / granule * granule;

	return mode == 'n' ? 0 : mode == 'd' ? 2 * n : less;
}

static const struct kb_bench *original(const struct kb_run *run)
{
	return originals[run->bench - copies];
}

static int op(struct kb_run *run, uint64_t n)
{
	return original(run)->op(run, other(run, n));
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	*ticks = 0;
	return original(run)->observe(run, other(run, n), ticks);
}

/* The list is constant: it is made writable for as long as it takes to point at the copies. */
__attribute__((constructor)) static void sabotage(void)
{
	const struct kb_bench **list = (const struct kb_bench **)dlsym(RTLD_DEFAULT, "kb_benches");
	const char *wanted = getenv("SABOTAGE");
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)list / page * page;
	size_t count = 0;

	if (!list || !wanted)
		return;
	mode = wanted[0];
	while (list[count])
		count++;
	if (count > BENCHES_MAX || mprotect((void *)start, (uintptr_t)(list + count) - start, PROT_READ | PROT_WRITE))
		abort();
	for (size_t i = 0; i < count; i++) {
		originals[i] = list[i];
		copies[i] = *list[i];
		copies[i].op = list[i]->op ? op : NULL;
		copies[i].observe = list[i]->observe ? observe : NULL;
		list[i] = &copies[i];
	}
}
