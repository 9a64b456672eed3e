/*
 * sys.open_close: open a file and close it. part=open and part=close take the two calls apart: n files are then open at
 * once, and the table of descriptors has grown to that before. The path has `depth` names, all of them in the kernel's
 * cache. Closing a file that was only read has nothing to write back.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench_files.h>

#define OPEN_MAX 240u           /* with what the collector has open less than the 256 that some systems allow */

static char path[KB_SCRATCH_PATH];
static int open_fd[OPEN_MAX];
static uint64_t opened, closed;
static bool opens, closes;

static int open_one(struct kb_run *run)
{
	int fd = opened - closed < OPEN_MAX ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return kb_fail(run, errno, "open of %s", path);
	open_fd[opened++ - closed] = fd;
	return 0;
}

static int close_one(struct kb_run *run)
{
	if (closed >= opened || close(open_fd[opened - closed - 1]))
		return kb_fail(run, EBADF, "closing file %llu of %llu", (unsigned long long)closed, (unsigned long long)opened);
	closed++;
	return 0;
}

/* The table of descriptors grows here, not in the first sample. */
static int setup(struct kb_run *run)
{
	int last = dup2(STDERR_FILENO, OPEN_MAX + 12);

	opens = !kb_param_is(run, "part", "close");
	closes = !kb_param_is(run, "part", "open");
	if (last < 0 || close(last))
		return kb_fail(run, errno, "%u descriptors at once", OPEN_MAX);
	return kb_scratch_path(run, (unsigned)kb_param_number(run, "depth"), path);
}

static int before(struct kb_run *run, uint64_t n)
{
	int error = 0;

	opened = closed = 0;
	for (uint64_t i = 0; i < n && !opens && !error; i++)
		error = open_one(run);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++)
		error = (opens ? open_one(run) : 0) ?: closes ? close_one(run) : 0;
	return error;
}

/* Each counted step succeeded on a descriptor of its own; what is still open is closed for the next sample. */
static int check(struct kb_run *run, uint64_t n)
{
	bool right = opened == n && closed == (closes ? n : 0);
	int error = 0;

	while (closed < opened && !error)
		error = close_one(run);
	return error ?: right ? 0 : kb_fail(run, EPROTO, "not %llu files were opened or closed", (unsigned long long)n);
}

KB_BENCHMARK(
	.summary = "open and close of a file, together and apart", .per = "file", .max_n = OPEN_MAX,
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .lmbench = "lat_syscall open",
	.assumes = "the kernel has cached the names",
	.params = { { "part", "what is measured", KB_CHOICE, "both;open,close", .choices = "both,open,close" },
	            { "depth", "names in the path", KB_NUMBER, "1", 1, 64, NULL } },
	.expect = { { KB_SYSCALLS, 2, 0, 0, KB_ALL, "part=both" }, { KB_SYSCALLS, 1, 0, 0, KB_ALL, "part=open" },
	            { KB_SYSCALLS, 1, 0, 0, KB_ALL, "part=close" } },
	.setup = setup, .before = before, .op = op, .check = check,
);
