/*
 * vm.mremap: written memory moves to another address without a copy, to and fro between two; or a mapping grows by a page
 * where it is. Page tables move, not bytes: what was written must be found at the new address, and nothing at the old.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define CALLS_MAX 1024u

static char *place[2];
static size_t bytes, page_bytes;
static bool grows;

static int setup(struct kb_run *run)
{
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	bytes = kb_param_number(run, "size");
	grows = kb_param_is(run, "how", "grow");

	size_t room = bytes + 2 * CALLS_MAX * page_bytes;

	if (bytes % page_bytes)
		return kb_fail(run, EINVAL, "size must be a multiple of the page, %zu bytes", page_bytes);
	for (int i = 0; i < 2; i++) {
		place[i] = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (place[i] == MAP_FAILED || munmap(place[i] + bytes, room - bytes))
			return kb_fail(run, errno, "reserving addresses");
	}
	if (munmap(place[1], bytes) || mprotect(place[0], bytes, PROT_READ | PROT_WRITE))
		return kb_fail(run, errno, "preparing %zu bytes", bytes);
	madvise(place[0], bytes, MADV_NOHUGEPAGE);
	memset(place[0], 7, bytes);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		char *from = place[grows ? 0 : i & 1], *to = place[grows ? 0 : ~i & 1], *at;
		size_t old = bytes + (grows ? i * page_bytes : 0);

		at = grows ? mremap(from, old, old + page_bytes, 0) :
		             mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
		if (at != to)
			return kb_fail(run, errno, "mremap of %zu bytes, call %llu", old, (unsigned long long)i);
	}
	return 0;
}

/* mincore knows what is mapped: ENOMEM where nothing is. */
static int check(struct kb_run *run, uint64_t n)
{
	char *here = place[grows ? 0 : n & 1], *end = grows ? here + bytes + n * page_bytes : place[~n & 1];
	unsigned char in_memory[1];

	if (mincore(here, 1, in_memory) || here[0] != 7 || here[bytes - 1] != 7)
		return kb_fail(run, EPROTO, "the memory is not at its new address");
	if (mincore(end, 1, in_memory) == 0 || errno != ENOMEM || (grows && mincore(end - page_bytes, 1, in_memory)))
		return kb_fail(run, EPROTO, "the memory is of another size, or still at its old address");
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	char *moved = place[n & 1];

	if (grows)
		return munmap(place[0] + bytes, n * page_bytes) ? kb_fail(run, errno, "taking back what grew") : 0;
	if (moved != place[0] && mremap(moved, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place[0]) != place[0])
		return kb_fail(run, errno, "moving the memory back");
	return 0;
}

KB_BENCHMARK(
	.summary = "mremap: move written memory to another address, or grow a mapping by a page", .per = "call",
	.max_n = CALLS_MAX, .suite = KB_FULL, .portability = KB_PLATFORM,
	.params = {
		{ "how", "it changes", KB_CHOICE, "move,grow", 0, 0, "move,grow" },
		{ "size", "of the memory, bytes", KB_SIZE, "64K", 4096, 64u << 20, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .op = op, .check = check, .after = after,
);
