/* A signal to oneself, and its handler. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static volatile sig_atomic_t handled;
static pid_t process, thread;

static void handler(int signal)
{
	(void)signal;
	handled++;
}

static int setup(struct kb_run *run)
{
	struct sigaction action = { .sa_handler = handler };

	process = getpid();
	thread = gettid();
	return sigaction(SIGUSR2, &action, NULL) ? kb_fail(run, errno, "a handler") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	handled = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (syscall(SYS_tgkill, process, thread, SIGUSR2))
			return kb_fail(run, errno, "a signal");
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return (uint64_t)handled == n ? 0 : kb_fail(run, EPROTO, "%d signals were handled", (int)handled);
}

/* Sending and coming back from the handler. */
KB_BENCHMARK(
	.summary = "a signal to oneself, handled", .per = "signal", .max_n = 1000000,
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
