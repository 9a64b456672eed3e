/*
 * atomic.contended: an atomic addition to a word that other threads add to at the same time; with one thread the line stays
 * at home. In the end the word must be the sum of what all say they added: none was lost.
 */
#include <errno.h>

#include <kbench_spin.h>

static struct shared {
	struct kb_spin_word sum, pause, added[KB_SPIN_THREADS], resting[KB_SPIN_THREADS];
} *shared;
static unsigned threads;
static bool swapping;
static uint64_t began;

/* By compare-and-swap: again until nobody came between. */
static void add(uint64_t n)
{
	uint64_t *sum = &shared->sum.value;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t old = swapping ? __atomic_load_n(sum, __ATOMIC_RELAXED) : __atomic_fetch_add(sum, 1, __ATOMIC_ACQ_REL);

		while (swapping && !__atomic_compare_exchange_n(sum, &old, old + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
	}
}

static int serve(struct kb_run *run)
{
	uint64_t *resting = &shared->resting[kb_spin_self()].value, *added = &shared->added[kb_spin_self()].value;

	(void)run;
	while (!kb_spin_read(kb_spin_stop)) {
		uint64_t pause = kb_spin_read(&shared->pause.value);

		kb_spin_write(resting, pause);
		if (!pause) {
			add(8);
			kb_spin_write(added, *added + 8);
		}
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	threads = (unsigned)kb_param_number(run, "threads");
	swapping = kb_param_is(run, "op", "cas");
	shared = kb_spin_memory(run, sizeof *shared);
	return shared ? kb_spin_start(run, serve, threads) : -ENOMEM;
}

static uint64_t progress(unsigned thread) { return kb_spin_read(&shared->added[thread].value); }

static uint64_t work(uint64_t n)
{
	add(n);
	shared->added[0].value += n;
	return n;
}

static bool all_have(uint64_t pause)
{
	bool all = true;
	kb_spin_write(&shared->pause.value, pause);
	for (unsigned i = 1; i < threads; i++)
		all &= kb_spin_until(&shared->resting[i].value, pause, NULL);
	return all;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	began = shared->added[0].value;
	int error = all_have(0) ? kb_spin_observe(run, n, ticks, threads, work, progress) : -EPIPE;

	return error && error != -EAGAIN ? kb_fail(run, EPIPE, "a partner does not answer") : error;
}

/* Counts are believed only if, while all rest, the word is their sum. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t all = 0;

	for (unsigned i = 0; all_have(1) && i < threads; i++)
		all += progress(i);
	return shared->sum.value == all && progress(0) - began >= n ? 0 :
	       kb_fail(run, EILSEQ, "the word is not the sum of what was added");
}

KB_BENCHMARK(
	.summary = "atomic addition to a word that other threads also add to",
	.portability = KB_ASSUMING, .assumes = "all threads run at the same time", .per = "addition", .bound = KB_MEMORY,
	.params = {
		{ "threads", "each on a CPU", KB_NUMBER, "1,2", 1, KB_SPIN_THREADS, NULL },
		{ "op", "an addition, or a compare-and-swap until it succeeds", KB_CHOICE, "add", .choices = "add,cas" },
	},
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .observe = observe, .check = check, .teardown = kb_spin_end,
);
