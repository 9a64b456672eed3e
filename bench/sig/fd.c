/*
 * sig.fd: a signal to oneself, taken by a read from a signalfd: no handler is entered. What is read names the signal and
 * its sender.
 */
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static int queue = -1;
static uint64_t taken;

/* Without waiting: a signal that is not there is an error, and the row cannot hang. */
static int setup(struct kb_run *run)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	queue = sigprocmask(SIG_BLOCK, &set, NULL) ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return queue < 0 ? kb_fail(run, errno, "signalfd") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	pid_t process = getpid();
	long thread = syscall(SYS_gettid);

	taken = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct signalfd_siginfo info = { .ssi_signo = 0 };

		if (syscall(SYS_tgkill, process, thread, SIGUSR1) || read(queue, &info, sizeof info) != (ssize_t)sizeof info)
			return kb_fail(run, errno, "a signal through a descriptor");
		taken += info.ssi_signo == SIGUSR1 && (pid_t)info.ssi_pid == process;
	}
	kb_count(run, KB_SEEN, taken);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(queue);
}

KB_BENCHMARK(
	.summary = "signal to the calling thread, read from a signalfd", .per = "signal",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux",
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown,
);
