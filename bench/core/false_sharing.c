/*
 * core.false_sharing: a thread adds to a word of its own while the others add to theirs, in the same line or in lines of
 * their own. The difference is what an unlucky layout costs. Siblings of one core share their first cache: no cost shows.
 */
#include <errno.h>

#include <kbench_spin.h>

static struct shared { struct kb_spin_word words[KB_SPIN_THREADS]; } *shared;
static unsigned threads;
static bool padded;
static uint64_t began;

/* Eight words fill a line. */
static uint64_t *word(unsigned thread)
{
	return padded ? &shared->words[thread].value : &shared->words[thread / 8].value + thread % 8;
}

/* A plain addition to memory. The compiler must not keep the word in a register. */
static void add(uint64_t *at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__atomic_store_n(at, __atomic_load_n(at, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

static int serve(struct kb_run *run)
{
	(void)run;
	while (!kb_spin_read(kb_spin_stop))
		add(word(kb_spin_self()), 64);
	return 0;
}

static int setup(struct kb_run *run)
{
	threads = (unsigned)kb_param_number(run, "threads");
	padded = kb_param_is(run, "layout", "padded");
	shared = kb_spin_memory(run, sizeof *shared);
	return shared ? kb_spin_start(run, serve, threads) : -ENOMEM;
}

/* As the memory says. */
static uint64_t work(uint64_t n)
{
	uint64_t before = *word(0);

	add(word(0), n);
	return *word(0) - before;
}

static uint64_t progress(unsigned thread)
{
	return kb_spin_read(word(thread));
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	began = *word(0);
	return kb_spin_observe(run, n, ticks, threads, work, progress);
}

/* What a stretch that was made again has added counts, too. */
static int check(struct kb_run *run, uint64_t n)
{
	return *word(0) - began >= n ? 0 : kb_fail(run, EILSEQ, "the word has not grown by what was added");
}

KB_BENCHMARK(
	.summary = "adding to a word of one's own while other threads add to theirs: in one line, or padded",
	.portability = KB_ASSUMING, .assumes = "a word is coherent by lines, and the CPUs do not share a first cache",
	.per = "addition", .bound = KB_MEMORY, .needs = KB_NEED_TWO_CPUS,
	.params = {
		{ "layout", "of the words", KB_CHOICE, "shared,padded", .choices = "shared,padded" },
		{ "threads", "each on a CPU", KB_NUMBER, "2", 2, KB_SPIN_THREADS, NULL },
	},
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .observe = observe, .check = check, .teardown = kb_spin_end,
);
