/*
 * proc.fork_exec: fork, execution of a small program, wait. The program leaves with a code that it alone knows, so it
 * was this one that ran. `hello` is linked with the shared library, `hello-static` without. The file was executed
 * before: it comes from the page cache.
 */
#include <errno.h>
#include <stdint.h>

#include <kbench_parties.h>

static char *argv[2];

static int setup(struct kb_run *run)
{
	const char *path = kb_program(run, kb_param_text(run, "program"));

	argv[0] = (char *)(uintptr_t)path;      /* execv takes no const, though it only reads */
	return path ? kb_execute(run, argv, KB_HELLO_EXIT) : -ENOENT;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		error = kb_execute(run, argv, KB_HELLO_EXIT);
		kb_count(run, KB_SEEN, !error);
	}
	return error;
}

KB_BENCHMARK(
	.summary = "fork, exec of a small program, wait", .per = "program", .parts = 2,
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .lmbench = "lat_proc exec",
	.assumes = "the program stays in the page cache",
	.params = { { "program", "which", KB_CHOICE, "hello;hello-static", .choices = "hello,hello-static" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_MAJFLT }, { KB_NVCSW, .per_op = 1, .tolerance = 0.9 },
	            { KB_MINFLT, .per_op = 8, .tolerance = 8 } },
	.setup = setup, .op = op,
);
