/*
 * mem.latency: dependent loads through a ring of lines, in the caches or beyond them. The order decides what else is
 * measured: `local` stays in TLB-sized blocks, `random` adds page walks, `forward` lets the prefetchers help.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define BLOCK_BYTES (256u << 10)        /* 64 pages of 4 KB: what the first TLB of a current core holds */

struct line {
	struct line *next;
	uint64_t position;              /* in the ring: tells where a walk must end without walking it again */
};

static struct ring {
	char *memory;
	uint64_t stride, lines, random;
	struct line *from, *at;
} ring;

static struct line *line(uint64_t i)
{
	return (struct line *)(void *)(ring.memory + i * ring.stride);
}

/* Each line enters the ring behind a random one of its block: every order is equally likely, as in Sattolo's cycle. The
   first of a block enters behind the top line, so blocks follow each other upwards; blocks of one line: forward. */
static void link_ring(uint64_t block)
{
	uint64_t top = ring.lines - 1;

	ring.at = line(top)->next = line(top);
	for (uint64_t i = top; i-- > 0;) {
		uint64_t linked = (top - i) % block;    /* lines of this block, all right above i */
		struct line *behind;

		ring.random = ring.random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
		behind = linked ? line(i + 1 + (ring.random >> 32) % linked) : line(top);
		line(i)->next = behind->next;
		behind->next = line(i);
	}
	for (uint64_t i = 0; i < ring.lines; i++, ring.at = ring.at->next)
		ring.at->position = i;
}

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size"), block = BLOCK_BYTES;
	long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
	uint32_t hash;

	ring = (struct ring){ .stride = kb_param_number(run, "stride"), .random = run->seed };
	ring.lines = size / ring.stride;
	if (kb_chain_verify(KB_CHAIN_LOAD, &hash))
		return kb_fail(run, EILSEQ, "the load chain (code %08x) is not one repeated instruction", hash);
	kb_code_hash(run, hash);
	if (ring.lines < 2 || ring.stride % sizeof(void *))
		return kb_fail(run, EINVAL, "stride must be a multiple of %zu and at most size/2", sizeof(void *));
	ring.memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring.memory == MAP_FAILED)
		return kb_fail(run, errno, "no memory for size=%llu", (unsigned long long)size);
	madvise(ring.memory, size, MADV_NOHUGEPAGE);
	run->bound = size > (uint64_t)(l2 > 0 ? l2 : 1 << 20) ? KB_MEMORY : KB_LATENCY;
	if (!kb_param_is(run, "order", "local"))
		block = kb_param_is(run, "order", "forward") ? ring.stride : size;
	link_ring(block / ring.stride);
	return 0;
}

/* Goes on where the last interval stopped: from one start, n < lines would turn any ring into a small one. */
static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	ring.from = ring.at;
	ring.at = (struct line *)(uintptr_t)kb_chain(KB_CHAIN_LOAD, n, (uintptr_t)ring.from, 0);
	return 0;
}

/* Wrong too if the ring closed before its last line. */
static int check(struct kb_run *run, uint64_t n)
{
	if (ring.at->position != (ring.from->position + n) % ring.lines)
		return kb_fail(run, EILSEQ, "the walk of %llu loads ended on a wrong line", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "latency of a dependent load by working set, order and stride, 4 KB pages",
	.per = "load", .bound = KB_LATENCY, .granule = KB_CHAIN_UNROLL,
	.params = {
		{ "size", "working set", KB_SIZE, "16K,256K,8M,64M", 128, 1ull << 36, NULL },
		{ "order", "of the lines", KB_CHOICE, "local", 0, 0, "local,random,forward" },
		{ "stride", "between lines", KB_SIZE, "64", sizeof(struct line), BLOCK_BYTES, NULL },
	},
	.expect = { { KB_MINFLT, .tolerance = 0.001 } },
	.setup = setup, .op = op, .check = check,
);
