/*
 * fault.file_minor: the first touch of a mapped file page that is in memory. The kernel maps its neighbours, too, so one
 * access goes to each 64 KB: more would be accesses without a fault. How much that is, fault.file_around tells.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define WINDOW (64u << 10)      /* what one fault maps at most, by default, and the largest page */
#define WINDOWS_MAX 64u
#define BYTES ((size_t)WINDOWS_MAX * WINDOW)

static volatile const unsigned char *memory;
static volatile unsigned char resident = 1;
static uint64_t sum;

/* Page by page, or the file would lie in memory in larger pieces, which are mapped at once. */
static int setup(struct kb_run *run)
{
	int fd, error = kb_scratch_pieces(run, BYTES, (size_t)sysconf(_SC_PAGESIZE), &fd);

	memory = error ? NULL : kb_map_copies(run, fd, BYTES, 1, WINDOW);
	return memory ? 0 : error ?: -ENOMEM;
}

/* The file stays in memory, its mappings go. */
static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return madvise((void *)(uintptr_t)memory, BYTES, MADV_DONTNEED) ? kb_fail(run, errno, "dropping the mappings") : 0;
}

static uint64_t read_windows(volatile const unsigned char *at, uint64_t n, size_t step)
{
	uint64_t got = 0;

	for (uint64_t i = 0; i < n; i++)
		got += at[i * step];
	return got;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = read_windows(memory, n, WINDOW);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = read_windows(&resident, n, 0);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n ? 0 : kb_fail(run, EILSEQ, "%llu pages held what was written", (unsigned long long)sum);
}

KB_BENCHMARK(
	.summary = "minor page fault on a mapped file: first touch of a page in the page cache",
	.suite = KB_FULL, .portability = KB_ASSUMING,
	.assumes = "a fault maps no more than the 64 KB around it",
	.per = "fault",
	.max_n = WINDOWS_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = base, .check = check,
);
