/*
 * A benchmark with all that a killed run could leave behind: it changes a setting, the file KB_TEST_SETTING; it leaves a daemon that carries
 * nothing of the run, in a session of its own, which is why that row is invalid; and of the other rows it keeps books outside the store,
 * a line in the file KB_TEST_LAUNCHES for each process whose record is written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <kbench_files.h>

#include "../integration/plugins/launches.h"

static pid_t measuring; /* it, and not what it forked */

static __attribute__((destructor)) void note(void)
{
	if (measuring == getpid())
		note_launch();
}

/* Bounded, so that a test that fails leaves nothing for ever. */
static int leave_daemon(struct kb_run *run)
{
	char *nothing[] = { NULL };
	pid_t child = fork();

	if (child < 0)
		return kb_fail(run, errno, "fork");
	if (child > 0)
		return 0;
	setsid();
	if (fork() == 0)
		execle("/bin/sleep", "sleep", "60", (char *)NULL, nothing);
	_exit(0);
}

static int setup(struct kb_run *run)
{
	const char *setting = getenv("KB_TEST_SETTING");

	if (setting && kb_setting(run, setting, "changed"))
		return kb_fail(run, EPIPE, "the guardian did not take it");
	if (kb_param_is(run, "daemon", "yes"))
		return leave_daemon(run);
	measuring = getpid();
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	kb_count(run, KB_SEEN, n);
	return 0;
}

KB_BENCHMARK(.summary = "does all that has to be undone", .per = "call", .max_n = 1,
	.params = { { "row", "makes rows", KB_NUMBER, "1", 1, 1000, NULL },
		{ "daemon", "is left", KB_CHOICE, "no", .choices = "no,yes" } },
	.expect = { { KB_SEEN, .per_op = 1 } }, .setup = setup, .op = op, );
