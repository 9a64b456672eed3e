/*
 * Says: a signal to oneself, handled; as many are seen as are sent. Hidden: the count is the author's word, and nothing
 * stands behind it. The honest one lets the kernel's calls be counted, too.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liar.h"

static struct kb_run *self;
static uint64_t sum;
static unsigned handled = 1;

static void handler(int signal)
{
	(void)signal;
	kb_count(self, KB_SEEN, handled);
}

static int setup(struct kb_run *run)
{
	struct sigaction action = { .sa_handler = handler };

	self = run;
	handled = lie(run, "counted_twice") ? 2 : 1;
	return sigaction(SIGUSR1, &action, NULL) ? kb_fail(run, errno, "a handler") : 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	if (lie(run, "counted_before"))
		kb_count(run, KB_SEEN, n);
	if (lie(run, "absent"))
		kb_count(run, KB_ABSENT, n);
	return 0;
}

static int send(struct kb_run *run)
{
	return syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) ? kb_fail(run, errno, "a signal") : 0;
}

static int invent(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sum = chain(sum, 10);
	if (lie(run, "invented"))
		kb_count(run, KB_SEEN, n);
	if (lie(run, "switches"))
		kb_count(run, KB_SWITCHES, n);
	if (lie(run, "faults"))
		kb_count(run, KB_MINFLT, n);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	if (lie(run, "counted_twice")) {
		kb_count(run, KB_SEEN, n % 2);
		n /= 2;
	} else if (!lie(run, "honest")) {
		return invent(run, n);
	}
	for (uint64_t i = 0; i < n && !error; i++)
		error = send(run);
	return error;
}

#define SEEN(value) { KB_SEEN, 1, 0, 0.02, KB_SELF, value }
KB_BENCHMARK(
	.summary = "a signal to oneself", .per = "signal",
	.params = { LIE_PARAM("invented,counted_before,counted_twice,switches,faults,absent") },
	.expect = {
		{ KB_SYSCALLS, 4, 0, 0, KB_ALL, "lie=honest" }, SEEN("lie=honest"), SEEN("lie=invented"),
		SEEN("lie=counted_before"), SEEN("lie=counted_twice"), { KB_SWITCHES, 1, 0, 0.01, KB_SELF, "lie=switches" },
		{ KB_MINFLT, 1, 0, 0.01, KB_SELF, "lie=faults" }, { KB_ABSENT, 1, 0, 0, KB_SELF, "lie=absent" },
	},
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop,
);
