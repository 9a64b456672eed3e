/*
 * sched.wake_latency: from the wake-up call of one task to the first reading of the clock in the one that slept, at a
 * fixed pace. load=busy: a third task computes on the sleeper's CPU and has to be put aside. Each wake-up carries a
 * number. The clocks of two CPUs must agree: a constant offset of theirs is inside.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <kbench_parties.h>

#define LIMIT_S 2

static struct shared { volatile uint32_t asked, answered; volatile uint64_t woken_at; volatile bool stop; } *shared;
static struct timespec pace;

/* Returns when the word is no longer `old`: 0 or, after the limit, -ETIMEDOUT. */
static int wait_while(volatile uint32_t *word, uint32_t old)
{
	struct timespec limit = { LIMIT_S, 0 };

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == old) {
		if (syscall(SYS_futex, word, FUTEX_WAIT, old, &limit, NULL, 0) && errno == ETIMEDOUT)
			return -ETIMEDOUT;
	}
	return 0;
}

static void advance(volatile uint32_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int serve(struct kb_run *run)
{
	for (uint32_t number = 0; !shared->stop;) {
		if (wait_while(&shared->asked, number))
			continue;
		shared->woken_at = kb_now(run);
		number++;
		advance(&shared->answered);
	}
	return 0;
}

static int compute(struct kb_run *run)
{
	while (!shared->stop)
		;
	return (void)run, 0;
}

static int setup(struct kb_run *run)
{
	const char *placement = kb_param_text(run, "placement");
	int error;
	pace = (struct timespec){ 0, (long)kb_param_number(run, "pace_us") * 1000 };
	shared = kb_shared_memory(run, sizeof *shared);
	error = shared ? kb_peer_start(run, serve, placement) : -ENOMEM;
	return error || kb_param_is(run, "load", "none") ? error : kb_peer_start(run, compute, placement);
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	*ticks = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t answered = shared->answered;
		uint64_t start;

		nanosleep(&pace, NULL);
		start = kb_now(run);
		advance(&shared->asked);
		if (wait_while(&shared->answered, answered) || shared->answered != shared->asked)
			return kb_fail(run, ETIMEDOUT, "the sleeper did not answer");
		*ticks += shared->woken_at - start;
		kb_count(run, KB_SEEN, shared->answered - answered);
	}
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	shared->stop = true;
	advance(&shared->asked);        /* the sleeper looks */
}

KB_BENCHMARK(
	.summary = "wake-up latency: from the wake-up call to the woken task", .per = "wake-up", .max_n = 64,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "the clocks of the two CPUs agree",
	.params = { { "placement", "of the sleeper", KB_CHOICE, "idle-cpu,same-cpu", .choices = "idle-cpu,same-cpu" },
	            { "load", "on the CPU of the sleeper", KB_CHOICE, "none,busy", .choices = "none,busy" },
	            { "pace_us", "pause before each wake-up, us", KB_NUMBER, "100", 10, 100000, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_NVCSW, 1, 0, 0.4, KB_PEER, NULL } },
	.setup = setup, .observe = observe, .teardown = teardown,
);
