/*
 * fault.cow: the first write to a page that another process shares since a fork, so it must be copied. The other side
 * lives until the sample is over: a page whose other owner is gone is taken over without a copy.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kbench_files.h>

#define PAGES_MAX 512u
#define ROOM (2 * PAGES_MAX)

static size_t page_bytes;
static volatile unsigned char *pages, round_number;
static volatile unsigned char resident;
static pid_t sharer;

static int setup(struct kb_run *run)
{
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = kb_map_small(run, ROOM * page_bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (!memory)
		return -ENOMEM;
	memset(memory, 1, ROOM * page_bytes);
	pages = memory;
	return 0;
}

/* The child has got its pages when fork returns; it writes to none of them and waits for its end. */
static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	round_number++;
	sharer = fork();
	if (sharer < 0)
		return kb_fail(run, errno, "fork of the process that shares the pages");
	if (sharer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return 0;
}

static void write_pages(volatile unsigned char *memory, uint64_t n, size_t step, unsigned char value)
{
	for (uint64_t i = 0; i < n; i++)
		memory[i * step] = value;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	write_pages(pages, n, page_bytes, round_number);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	write_pages(&resident, n, 0, 1);
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	int status;

	(void)n;
	if (kill(sharer, SIGKILL) || waitpid(sharer, &status, 0) != sharer || !WIFSIGNALED(status))
		return kb_fail(run, errno, "the process that shares the pages did not live until the end");
	return 0;
}

/* After a fork the first write to any page copies it: a handful are the engine's own, per sample and not per page:
   few pages would make them too many of all. */
KB_BENCHMARK(
	.summary = "copy-on-write fault: first write to a page that is shared since a fork",
	.suite = KB_FULL, .portability = KB_ASSUMING,
	.assumes = "fork copies page tables, not pages, and the other side keeps the old page",
	.per = "fault",
	.granule = 16, .max_n = PAGES_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.1 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = base, .after = after,
);
