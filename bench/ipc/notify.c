/*
 * ipc.notify: a thread of low priority signals, one of high priority waits; SCHED_FIFO, one CPU. A round-trip: the signal,
 * the switch to the waiter, its next wait, the switch back. The waiter's loop is infinite: a counter lets the CPU run
 * ahead into what follows. The initial thread, above both, stops it. reading=waiter: the woken waiter takes the second
 * reading of each signal: no way back. approach=plain: no stable code before a sample, both threads are made anew.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <kbench_parties.h>

enum { LOW = 1, HIGH };                 /* priorities */
static uint32_t note, go, done;         /* futexes; 1: signalled and not yet taken */
static int event;                       /* the notification of by=eventfd */
static bool by_eventfd, by_waiter, plain;
static volatile uint64_t wanted, woken, before, second, ticks, switches;

static void ring(uint32_t *word)
{
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void take(uint32_t *word)
{
	while (!__atomic_exchange_n(word, 0, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void high(struct kb_run *run)
{
	eventfd_t signals;

	for (uint64_t left = wanted; !plain || left-- > 0;) {
		by_eventfd ? (void)eventfd_read(event, &signals) : take(&note);
		if (by_waiter)
			second = kb_now(run);
		woken++;
	}
}

static void low(struct kb_run *run)
{
	for (;;) {
		take(&go);
		uint64_t one_way = 0, n = wanted, switched = kb_thread_switches(), start = kb_now(run);
		for (uint64_t i = 0, first; i < n; i++) {
			first = by_waiter ? kb_now(run) : 0;
			by_eventfd ? (void)eventfd_write(event, 1) : ring(&note);
			one_way += second - first;
		}
		ticks = by_waiter ? one_way : kb_now(run) - start;
		switches = kb_thread_switches() - switched;
		ring(&done);
	}
}

static int start(struct kb_run *run) { return kb_thread_start(run, high, HIGH) ?: kb_thread_start(run, low, LOW); }

static int setup(struct kb_run *run)
{
	by_eventfd = kb_param_is(run, "by", "eventfd");
	by_waiter = kb_param_is(run, "reading", "waiter");
	plain = kb_param_is(run, "approach", "plain");
	event = eventfd(0, 0);
	return event < 0 ? kb_fail(run, errno, "eventfd") : plain ? 0 : start(run);
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *result)
{
	before = woken;
	wanted = n;
	if (plain && start(run))
		return kb_fail(run, EAGAIN, "the two threads cannot be started again");
	ring(&go);
	take(&done);
	if (plain)
		kb_threads_stop(run);
	*result = ticks;
	kb_count(run, KB_SEEN, woken - before);
	kb_count(run, KB_SWITCHES, switches);
	return 0;
}

static int check(struct kb_run *run, uint64_t n) { return woken - before == n ? 0 : kb_fail(run, EILSEQ, "woken more or less often"); }

KB_BENCHMARK(
	.summary = "notification to a thread of higher priority", .per = "round-trip", .max_n = 50000,
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .assumes = "a woken thread of higher priority runs at once",
	.params = { { "by", "what signals", KB_CHOICE, "futex,eventfd", .choices = "futex,eventfd" },
		{ "approach", "code before a sample", KB_CHOICE, "stable", .choices = "stable,plain" },
		{ "reading", "the second is taken by", KB_CHOICE, "sender", .choices = "sender,waiter" } },
	/* The sender switches once a signal, the initial thread once a sample, once more to join. */
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 1, 1, 0.1, KB_SELF, "approach=stable" },
		{ KB_SWITCHES, 1, 2, 0.1, KB_SELF, "approach=plain" } },
	.setup = setup, .observe = observe, .check = check, .teardown = kb_threads_stop,
);
