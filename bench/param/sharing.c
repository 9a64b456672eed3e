/*
 * param.sharing: dependent loads through a ring while another CPU reads a set of its own, `beside` bytes again and again.
 * Where both CPUs share a cache that either set nearly fills, the other's lines displace the ring's and the loads become
 * those of the next level; where they do not, nothing happens. beside=4K is the control: the other CPU is as busy.
 * What would make it wrong: a partner that does not run, so a sample in which it did not get on is made again.
 */
#include <kbench_memory.h>
#include <kbench_spin.h>

#define BLOCK_BYTES (256u << 10)        /* as mem.latency: what the first translation cache covers */
#define LINE 64u
#define TURN (16u << 10)                /* bytes between two reports of the partner: about a microsecond */

static struct kb_chase ring;
static struct shared { struct kb_spin_word turns; } *shared;
static unsigned char *set;
static uint64_t set_bytes;

/* Reads only: its memory is the parent's, and a write would give it small pages of its own. */
static int serve(struct kb_run *run)
{
	uint64_t turns = 0, at = 0;

	(void)run;
	while (!kb_spin_read(kb_spin_stop)) {
		for (unsigned i = 0; i < TURN; i += LINE, at = (at + LINE) % set_bytes)
			kb_keep(*(volatile unsigned char *)(set + at));
		kb_spin_write(&shared->turns.value, ++turns);
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size"), block = size < BLOCK_BYTES ? size : BLOCK_BYTES;
	const char *pages = kb_param_text(run, "pages");

	set_bytes = kb_param_number(run, "beside") / LINE * LINE;
	ring = (struct kb_chase){ .stride = LINE, .lines = size / LINE, .block = block / LINE };
	ring.memory = kb_memory(run, size, pages);
	set = ring.memory ? kb_memory(run, set_bytes, set_bytes < BLOCK_BYTES ? "small" : pages) : NULL;
	shared = set ? kb_spin_memory(run, sizeof *shared) : NULL;
	if (!shared)
		return -1;
	kb_working_set(run, size, KB_LATENCY);

	int error = kb_chase_link(run, &ring);

	return error ? error : kb_spin_start_one(run, serve, 1);
}

static uint64_t progress(unsigned thread)
{
	(void)thread;
	return kb_spin_read(&shared->turns.value);
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	return kb_chase_observe(run, &ring, n, ticks, 2, progress);
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return kb_chase_check(run, &ring, ring.walked);
}

KB_BENCHMARK(
	.summary = "latency of a dependent load while another CPU reads a set of its own",
	.portability = KB_ASSUMING, .assumes = "a cache that two CPUs fill together keeps the lines of neither",
	.per = "load", .bound = KB_MEMORY, .granule = KB_CHAIN_UNROLL, .needs = KB_NEED_TWO_CPUS,
	.params = {
		{ "size", "of the ring", KB_SIZE, "512K", 4096, 1ull << 32, NULL },
		{ "beside", "what the other CPU reads; 4K is the control", KB_SIZE, "4K,1M", 4096, 1ull << 32, NULL },
		KB_PARAM_SMALL_PAGES,
	},
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .observe = observe, .check = check, .teardown = kb_spin_end,
);
