/*
 * thread.mutex: lock and unlock. mode=free: nobody else wants it, no system call is made. mode=contended: a thread on
 * another CPU takes it and gives it back all the time; an unfair mutex lets the one that runs go on while the other
 * wakes up, so most turns are not contended at all. thread.mutex_cascade is the one where each turn waits.
 */
#include <errno.h>
#include <pthread.h>

#include <kbench_parties.h>

#define STILL_MAX 1500          /* samples in a row, some 50 ms, in which the other thread may not come to run on a busy machine */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool contended;
static volatile bool stop;
static volatile uint64_t ours, theirs, guarded;         /* changed under the mutex only */
static uint64_t before;

static void turn(volatile uint64_t *turns)
{
	pthread_mutex_lock(&mutex);
	guarded = guarded + 1;
	*turns = *turns + 1;
	pthread_mutex_unlock(&mutex);
}

static void *serve(void *data)
{
	(void)data;
	while (!stop)
		turn(&theirs);
	return NULL;
}

static int setup(struct kb_run *run)
{
	contended = kb_param_is(run, "mode", "contended");
	return contended ? kb_companion_start(run, serve, NULL, "other-cpu") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	before = ours;
	for (uint64_t i = 0; i < n; i++)
		turn(&ours);
	kb_count(run, KB_SEEN, ours - before);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	static volatile uint64_t one, other;

	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		one = one + 1;
		other = other + 1;
	}
	return 0;
}

/* Nobody else was inside together with us, and the other one does take part. */
static int check(struct kb_run *run, uint64_t n)
{
	static uint64_t theirs_before;
	static unsigned still;

	pthread_mutex_lock(&mutex);
	bool lost = guarded != ours + theirs;
	still = theirs == theirs_before ? still + contended : 0;
	theirs_before = theirs;
	pthread_mutex_unlock(&mutex);
	if (lost || still > STILL_MAX)
		return kb_fail(run, EILSEQ, lost ? "two threads were inside at once" : "the other thread stands still");
	return ours - before == n ? 0 : kb_fail(run, EPROTO, "not %llu turns", (unsigned long long)n);
}

static void teardown(struct kb_run *run)
{
	(void)run;
	stop = true;
	kb_companions_join();
}

KB_BENCHMARK(
	.summary = "lock and unlock a mutex, alone and against another thread", .per = "turn",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.params = { { "mode", "who else wants it", KB_CHOICE, "free,contended", .choices = "free,contended" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 0, 0, 0, KB_ALL, "mode=free" } },
	.setup = setup, .op = op, .base = base, .check = check, .teardown = teardown,
);
