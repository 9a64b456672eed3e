/*
 * sig.thread: a signal to a thread that waits for it in sigwait, and one back from it: a round trip of two signals. The
 * numbers that go with them lie in memory: a signal that comes late or twice finds the wrong one. Waits have a limit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <kbench_parties.h>

static volatile long numbers[2];        /* of the threads: ours, theirs */
static pid_t process;
static volatile uint64_t question, answer;
static volatile bool stop;
static sigset_t set;

/* 0 or an errno: EAGAIN when nothing came within two seconds. */
static int await(void)
{
	struct timespec limit = { 2, 0 };

	while (sigtimedwait(&set, NULL, &limit) != SIGUSR1) {
		if (errno != EINTR)
			return errno;
	}
	return 0;
}

static int send(unsigned to)
{
	return syscall(SYS_tgkill, process, numbers[to], SIGUSR1) ? errno : 0;
}

static void *serve(void *data)
{
	(void)data;
	__atomic_store_n(&numbers[1], syscall(SYS_gettid), __ATOMIC_RELEASE);
	while (!stop) {
		if (await() || stop)
			continue;
		answer = ~question;
		if (send(0))
			break;
	}
	return NULL;
}

/* The mask is inherited: the new thread never sees the signal in a handler. */
static int setup(struct kb_run *run)
{
	int error;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	process = getpid();
	numbers[0] = syscall(SYS_gettid);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return kb_fail(run, errno, "mask of signals");
	error = kb_companion_start(run, serve, NULL, kb_param_text(run, "placement"));
	for (int i = 0; i < 1000 && !error && !__atomic_load_n(&numbers[1], __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int error = (question++, send(1));

		error = error ? error : await();
		if (error || answer != ~question)
			return kb_fail(run, error, "no signal back, or not to this one");
		kb_count(run, KB_SEEN, 1);
	}
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	stop = true;
	send(1);
	kb_companions_join();
}

/* Each side sends and waits. */
KB_BENCHMARK(
	.summary = "signal to a waiting thread and a signal back", .per = "round-trip",
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "both threads stay on their CPUs",
	.params = { { "placement", "of the two threads", KB_CHOICE, "same-cpu,idle-cpu", .choices = "same-cpu,idle-cpu" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 4, 0, 0.1, KB_ALL, NULL },
	            { KB_NVCSW, .per_op = 1, .tolerance = 0.9 } },
	.setup = setup, .op = op, .teardown = teardown,
);
