/*
 * core.fairness: threads take a lock in turn; of=all is the time of one acquisition by any thread, of=own that between
 * two of the measuring thread. With a fair lock own / all is the number of threads. tas: who is nearest wins; ticket: in
 * order of arrival. The lock protects the count of what is left to take, so exactly n are taken.
 */
#include <errno.h>

#include <kbench_spin.h>

static struct shared { struct kb_spin_word next, served, taken[KB_SPIN_THREADS], left; } *shared;
static unsigned threads;
static bool ordered, own;
static uint64_t began;

/* `next` is the flag of tas, and the next ticket. A partner gives up when it is told to. */
static bool lock(void)
{
	uint64_t *next = &shared->next.value, *stop = kb_spin_self() ? kb_spin_stop : NULL;

	if (ordered)
		return kb_spin_until(&shared->served.value, __atomic_fetch_add(next, 1, __ATOMIC_ACQ_REL), stop);
	while (__atomic_exchange_n(next, 1, __ATOMIC_ACQUIRE))
		if (!kb_spin_until(next, 0, stop))
			return false;
	return true;
}

static void unlock(void)
{
	kb_spin_write(ordered ? &shared->served.value : &shared->next.value, ordered ? shared->served.value + 1 : 0);
}

/* One acquisition; false: nothing is left, or the lock does not come (then it is the end, and nobody minds the rest). */
static bool take(void)
{
	bool any = lock() && shared->left.value > 0;
	shared->left.value -= any;
	shared->taken[kb_spin_self()].value += any;
	unlock();
	return any;
}

static int serve(struct kb_run *run)
{
	for ((void)run; !kb_spin_read(kb_spin_stop);)
		if (kb_spin_read(&shared->left.value))
			take();
	return 0;
}

static int setup(struct kb_run *run)
{
	threads = (unsigned)kb_param_number(run, "threads");
	ordered = kb_param_is(run, "lock", "ticket");
	own = kb_param_is(run, "of", "own");
	shared = kb_spin_memory(run, sizeof *shared);
	return shared ? kb_spin_start(run, serve, threads) : -ENOMEM;
}

static uint64_t progress(unsigned thread) { return kb_spin_read(&shared->taken[thread].value); }

/* What is left becomes so many; returns what was taken so far, by whom it is asked of. */
static uint64_t offer(uint64_t left)
{
	uint64_t taken = 0;

	lock();
	for (unsigned i = 0; i < (own ? 1 : threads); i++)
		taken += progress(i);
	shared->left.value = left;
	unlock();
	return taken;
}

static uint64_t work(uint64_t n)
{
	uint64_t before = offer(own ? UINT64_MAX / 2 : n);

	for (uint64_t i = 0; (!own || i < n) && take(); i++)
		;
	return offer(0) - before;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	began = offer(0);
	return kb_spin_observe(run, n, ticks, threads, work, progress);
}

static int check(struct kb_run *run, uint64_t n) { return offer(0) - began >= n ? 0 : kb_fail(run, EILSEQ, "taken less often"); }

/* No single ones: the offer around them costs more, and when the first one comes, nobody waits for the lock yet. */
KB_BENCHMARK(
	.summary = "acquisition of a contended lock, by all threads and by one", .per = "acquisition", .granule = 2,
	.portability = KB_ASSUMING, .assumes = "all threads run at the same time", .needs = KB_NEED_TWO_CPUS, .bound = KB_MEMORY,
	.params = { { "lock", "a flag, or tickets", KB_CHOICE, "tas,ticket", .choices = "tas,ticket" },
		{ "of", "whose count", KB_CHOICE, "all,own", .choices = "all,own" }, { "threads", "on a CPU each",
		KB_NUMBER, "2", 2, KB_SPIN_THREADS, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 } }, .setup = setup, .observe = observe, .check = check, .teardown = kb_spin_end,
);
