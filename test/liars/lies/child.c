/*
 * Says: a program is started, and ends. Hidden: it is never started, for its name is wrong, or nobody waits until it has ended; a
 * child that fails is quick.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kbench_parties.h>

#include "liar.h"

static const char *program;
static bool awaited = true;

static int setup(struct kb_run *run)
{
	program = kb_program(run, "hello-static");
	if (!program)
		return -ENOENT;
	if (lie(run, "wrong_name"))
		program = "/usr/bin/there-is-no-such-program";
	if (lie(run, "a_folder"))
		program = "/usr";
	awaited = !lie(run, "not_awaited");
	return 0;
}

static void become(void)
{
	char *arguments[] = { (char *)(uintptr_t)program, NULL }, *none[] = { NULL };

	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	execve(program, arguments, none);
	_exit(1);
}

static int once(struct kb_run *run)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		become();
	if (child < 0 || (awaited && waitpid(child, &status, 0) != child))
		return kb_fail(run, errno, "a child");
	if (lie(run, "honest") && WEXITSTATUS(status) != KB_HELLO_EXIT)
		return kb_fail(run, ECHILD, "the program ended with %d", WEXITSTATUS(status));
	kb_count(run, KB_SEEN, 1);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++)
		error = once(run);
	return error;
}

/* After the sample, for those that nobody has waited for. */
static int after(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n && !awaited; i++)
		waitpid(-1, NULL, 0);
	return 0;
}

KB_BENCHMARK(
	.summary = "a program that is started, and ends", .per = "program", .max_n = 20,
	.params = { LIE_PARAM("wrong_name,a_folder,not_awaited") },
	/* It sleeps once for each child, and may be preempted once. */
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, 1.2, 0, 1, KB_SELF, NULL } },
	.setup = setup, .op = op, .after = after,
);
