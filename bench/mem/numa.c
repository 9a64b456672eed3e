/*
 * mem.numa: a chase through memory of one node, from the node of the measuring CPU (--cpus): a row of the matrix of
 * nodes for each CPU chosen. The pages' node is asked of the system, since a policy is only a wish.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_memory.h>

#define BLOCK_BYTES (256u << 10)        /* 64 pages of 4 KB: what the first TLB of a current core holds */
#define NODES 64u                       /* bits of the mask; the kernel reads one less than it is told */

static struct kb_chase ring;

static bool node_exists(char digit_high, char digit_low)
{
	char path[] = "/sys/devices/system/node/node..";
	struct stat status;

	path[sizeof path - 3] = digit_high == '0' ? digit_low : digit_high;
	path[sizeof path - 2] = digit_high == '0' ? '\0' : digit_low;
	return stat(path, &status) == 0;
}

static int allocate(struct kb_run *run, uint64_t size, unsigned node)
{
	unsigned long mask = 1ul << node;

	if (syscall(SYS_set_mempolicy, MPOL_BIND, &mask, NODES + 1))
		return kb_fail(run, errno, "asking for memory of node %u", node);
	ring.memory = kb_memory(run, size, kb_param_text(run, "pages"));
	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
	for (uint64_t at = 0; ring.memory && at < size; at += BLOCK_BYTES) {
		int found = -1;

		if (syscall(SYS_get_mempolicy, &found, NULL, 0, ring.memory + at, MPOL_F_NODE | MPOL_F_ADDR) ||
		    found != (int)node)
			return kb_fail(run, EXDEV, "a page lies on node %d, not on %u", found, node);
	}
	return ring.memory ? 0 : -1;
}

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size"), nodes = 0;
	unsigned node = (unsigned)kb_param_number(run, "node");
	int error;

	for (unsigned i = 0; i < NODES; i++)
		nodes += node_exists((char)('0' + i / 10), (char)('0' + i % 10));
	if (nodes < 2)
		return kb_skip(run, "this machine has one memory node; mem.latency measures it");
	if (!node_exists((char)('0' + node / 10), (char)('0' + node % 10)))
		return kb_skip(run, "this machine has no node %u", node);
	ring = (struct kb_chase){ .stride = 64, .lines = size / 64, .block = BLOCK_BYTES / 64 };
	error = allocate(run, size, node);
	return error ? error : kb_chase_link(run, &ring);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	kb_chase_walk(&ring, n);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	int error = kb_chase_check(run, &ring, n);

	kb_chase_levels(run, &ring, NULL);
	return error;
}

KB_BENCHMARK(
	.summary = "latency of a dependent load from the memory of one node",
	.portability = KB_ASSUMING, .assumes = "a dependent load cannot be predicted or prefetched in this order",
	.per = "load", .bound = KB_MEMORY, .granule = KB_CHAIN_UNROLL,
	.params = {
		{ "node", "of the memory", KB_NUMBER, "0,1", 0, NODES - 1, NULL },
		{ "size", "working set", KB_SIZE, "64M", 4096, 1ull << 36, NULL },
		KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.001 } },
	.setup = setup, .op = op, .check = check,
);
