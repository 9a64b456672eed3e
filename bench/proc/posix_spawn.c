/*
 * proc.posix_spawn: a small program started by posix_spawn, and waited for. The library need not copy the parent to
 * start another program. The code with which it leaves only that program knows.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <unistd.h>

#include <kbench_parties.h>

extern char **environ;

static char *argv[2];
static posix_spawn_file_actions_t actions;

static int setup(struct kb_run *run)
{
	const char *path = kb_program(run, kb_param_text(run, "program"));
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), error;

	argv[0] = (char *)(uintptr_t)path;
	if (!path || null < 0)
		return path ? kb_fail(run, errno, "open of /dev/null") : -ENOENT;
	/* The collector's own are the plan and the record. */
	error = posix_spawn_file_actions_init(&actions) ?: posix_spawn_file_actions_adddup2(&actions, null, STDIN_FILENO)
		?: posix_spawn_file_actions_adddup2(&actions, null, STDOUT_FILENO);
	return error ? kb_fail(run, error, "actions of posix_spawn") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		pid_t child;

		error = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
		error = error ? kb_fail(run, error, "posix_spawn of %s", argv[0]) : kb_reap(run, child, KB_HELLO_EXIT);
		kb_count(run, KB_SEEN, !error);
	}
	return error;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	posix_spawn_file_actions_destroy(&actions);
}

KB_BENCHMARK(
	.summary = "posix_spawn of a small program, wait", .per = "program",
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "the program stays in the page cache",
	.params = { { "program", "which", KB_CHOICE, "hello,hello-static", .choices = "hello,hello-static" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_MAJFLT }, { KB_NVCSW, .per_op = 1.4, .tolerance = 1 } },
	.setup = setup, .op = op, .teardown = teardown,
);
