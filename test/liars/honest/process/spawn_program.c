/* A program that is started, writes a line and ends. */
#include <errno.h>

#include <kbench_parties.h>

static char *argv[2];
static uint64_t done;

static int setup(struct kb_run *run)
{
	const char *path = kb_program(run, "hello-static");

	argv[0] = (char *)(uintptr_t)path;
	return path ? 0 : -ENOENT;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	done = 0;
	for (uint64_t i = 0; i < n && !error; i++, done++)
		error = kb_execute(run, argv, KB_HELLO_EXIT);
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	return done == n ? 0 : kb_fail(run, ECHILD, "not all programs were started");
}

KB_BENCHMARK(
	.summary = "starting a program", .per = "program", .max_n = 20,
	.setup = setup, .op = op, .check = check,
);
