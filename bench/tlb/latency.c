/*
 * tlb.latency: dependent loads from one line of each page of a mapping, in random order, at an offset that differs
 * from page to page so that the lines spread over the sets of the caches. The control, layout=packed, has as many
 * lines side by side, in an order as random: it differs in nothing but the number of pages, so what spread costs
 * more is translation.
 */
#include <unistd.h>

#include <kbench_memory.h>

#define LINE 64u

static struct kb_chase ring;

static int setup(struct kb_run *run)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), lines = kb_param_number(run, "lines");
	bool spread = kb_param_is(run, "layout", "spread");

	ring = (struct kb_chase){ .stride = spread ? page : LINE, .lines = lines, .block = lines };
	ring.shifts = spread ? page / LINE : 0;
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
	.summary = "latency of a load by number of pages; packed is the control, as many lines",
	.portability = KB_ASSUMING, .lmbench = "tlb",
	.assumes = "a dependent load cannot be predicted, and a page is translated on its own",
	.per = "load", .bound = KB_LATENCY, .granule = KB_CHAIN_UNROLL,
	.params = {
		{ "lines", "lines; pages, if spread", KB_NUMBER, "64,1024,8192", 2, 1 << 24, NULL },
		{ "layout", "one line a page, or side by side", KB_CHOICE, "spread,packed", 0, 0, "spread,packed" },
		KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.001 } },
	.setup = setup, .op = op, .check = check,
);
