/*
 * Leaves a daemon behind: a session of its own, its parent gone. With environment=cleared it is another program that
 * carries nothing of the run. Writes the daemon's process id to the file that KB_TEST_DAEMONS names.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <kbench.h>

static void note_pid(void)
{
	const char *path = getenv("KB_TEST_DAEMONS");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%d\n", (int)getpid());
	fclose(file);
}

/* Bounded, so that a test that fails leaves nothing for ever. */
static void live_on(bool cleared)
{
	char *nothing[] = { NULL };

	note_pid();
	if (cleared)
		execle("/bin/sleep", "sleep", "60", (char *)NULL, nothing);
	sleep(60);
	_exit(0);
}

static int setup(struct kb_run *run)
{
	pid_t child = fork();

	if (child < 0)
		return kb_fail(run, errno, "fork");
	if (child > 0)
		return 0;       /* the child stays a zombie until the collector ends, as careless programs leave them */
	setsid();
	if (fork() == 0)
		live_on(kb_param_is(run, "environment", "cleared"));
	_exit(0);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	return 0;
}

KB_BENCHMARK(
	.summary = "forks a daemon away", .per = "call", .bound = KB_ISSUE,
	.params = { { "environment", "of the daemon", KB_CHOICE, "kept", .choices = "kept,cleared" } },
	.setup = setup, .op = op,
);
