/*
 * tlb.latency: dependent loads from one line of each page of a mapping, in random order, at an offset that differs
 * from page to page so that the lines spread over the sets of the caches. The control, layout=packed, has as many
 * lines side by side, in an order as random: it differs in nothing but the number of pages, so what spread costs
 * more is translation. layout=far has one line of each 2 MB: of each huge page, where pages=huge.
 */
#include <unistd.h>

#include <kbench_memory.h>

#define LINE 64u
#define FAR (UINT64_C(2) << 20)         /* the huge page of all three architectures with pages of 4 KB */

static struct kb_chase ring;

static int setup(struct kb_run *run)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), lines = kb_param_number(run, "lines");
	bool packed = kb_param_is(run, "layout", "packed"), far = kb_param_is(run, "layout", "far");

	ring = (struct kb_chase){ .stride = packed ? LINE : far ? FAR : page, .lines = lines, .block = lines };
	ring.shifts = packed ? 0 : page / LINE;
	ring.memory = kb_memory(run, lines * ring.stride, kb_param_text(run, "pages"));
	if (!ring.memory)
		return -1;
	kb_working_set(run, lines * LINE, KB_LATENCY);
	return kb_chase_link(run, &ring);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	kb_chase_walk(&ring, n);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return kb_chase_check(run, &ring, n);
}

KB_BENCHMARK(
	.summary = "latency of a dependent load by number of pages; packed is the control",
	.portability = KB_ASSUMING, .lmbench = "tlb",
	.assumes = "a dependent load cannot be predicted, and a page is translated on its own",
	.per = "load", .bound = KB_LATENCY, .granule = KB_CHAIN_UNROLL,
	.params = {
		{ "lines", "lines; pages, if spread", KB_NUMBER, "64,1024,8192", 2, 1 << 24, NULL },
		{ "layout", "one line a page, side by side, or one in 2 MB", KB_CHOICE, "spread,packed", 0, 0, "spread,packed,far" },
		KB_PARAM_SMALL_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.001 } },
	/* More pages than the second TLB of any core holds; some cores keep neighbouring pages in one entry. */
	.events = { { "dTLB-load-misses:u", .per_op = 1, .tolerance = 0.5, .when = "lines=8192 layout=spread pages=small" } },
	.setup = setup, .op = op, .check = check,
);
