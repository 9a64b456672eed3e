/*
 * sig.self: a signal to oneself, its handler, and the return from it; the whole round trip, nothing subtracted. Pending
 * signals of one number merge, so each is sent only after the one before has been handled: tgkill returns behind it.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static volatile uint64_t handled;
static uint64_t handled_before;
static struct sigaction former;

static void handle(int signal_number)
{
	(void)signal_number;
	handled = handled + 1;
}

static int setup(struct kb_run *run)
{
	struct sigaction action = { .sa_handler = handle };
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	if (sigaction(SIGUSR1, &action, &former) || sigprocmask(SIG_UNBLOCK, &mask, NULL))
		return kb_fail(run, errno, "handler of SIGUSR1");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	pid_t process = getpid();
	long thread = syscall(SYS_gettid);

	handled_before = handled;
	for (uint64_t i = 0; i < n; i++) {
		if (syscall(SYS_tgkill, process, thread, SIGUSR1))
			return kb_fail(run, errno, "tgkill");
	}
	kb_count(run, KB_SEEN, handled - handled_before);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (handled - handled_before != n)
		return kb_fail(run, EPROTO, "%llu of %llu signals were handled",
			       (unsigned long long)(handled - handled_before), (unsigned long long)n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	sigaction(SIGUSR1, &former, NULL);
}

KB_BENCHMARK(
	.summary = "signal to the calling thread: tgkill, handler, return",
	.suite = KB_QUICK, .portability = KB_PORTABLE, .lmbench = "lat_sig catch",
	.per = "signal",
	.expect = {
		{ KB_SEEN, .per_op = 1 },
		{ KB_SYSCALLS, .per_op = 2, .who = KB_ALL },      /* tgkill, rt_sigreturn */
	},
	.setup = setup,
	.op = op,
	.check = check,
	.teardown = teardown,
);
