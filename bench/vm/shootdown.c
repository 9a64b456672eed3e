/*
 * vm.shootdown: the right to write a page is taken and given back while threads of the process run on other CPUs. Taking
 * it makes each of them forget the page, by an interrupt on many systems. The price of one is the difference of threads=k
 * and threads=0. A thread that is not running at the time is not asked: all are seen running right before.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define TRIAL 100u
#define ROW "TLB shootdowns"    /* in /proc/interrupts */

static volatile unsigned char *page;
static size_t page_bytes;
static uint64_t threads, seen, counted; /* counted: interrupts of the last sample, claimed with the next */

static int before(struct kb_run *run, uint64_t n)
{
	kb_count(run, KB_SEEN, counted);
	counted = n * threads;
	seen = threads ? kb_interrupts(ROW) : 0;
	kb_spinners_run();
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (mprotect((void *)(uintptr_t)page, page_bytes, PROT_READ) ||
		    mprotect((void *)(uintptr_t)page, page_bytes, PROT_READ | PROT_WRITE))
			return kb_fail(run, errno, "mprotect");
	}
	return 0;
}

/* Those of other processes are in it, too: what is more than all of ours proves nothing. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t now = threads ? kb_interrupts(ROW) : 0;

	(void)run;
	(void)n;
	if (now - seen < counted)
		counted = now - seen;
	return 0;
}

static int setup(struct kb_run *run)
{
	int error;

	threads = kb_param_number(run, "threads");
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return kb_fail(run, errno, "mapping a page");
	*page = 1;
	error = kb_spinners_start(run, (unsigned)threads, page);
	for (int tries = 0; tries < 5 && !error && counted < TRIAL / 4; tries++)
		error = before(run, TRIAL) ?: op(run, TRIAL) ?: check(run, TRIAL);
	if (!error && threads && counted < TRIAL / 4)
		kb_unproven(run, "other CPUs forget pages without an interrupt that /proc/interrupts counts");
	else if (!error && threads)     /* another process may take the place of a thread for some of the time */
		kb_expect(run, KB_SEEN, (double)threads, 0.4 * (double)threads);
	counted = 0;
	return error;
}

KB_BENCHMARK(
	.summary = "TLB shootdown: mprotect of a page that threads on other CPUs read, and back",
	.per = "pair", .suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "each other thread runs, and is interrupted",
	.params = { { "threads", "of the process on other CPUs", KB_NUMBER, "0,1", 0, KB_SPINNERS_MAX, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL }, { KB_MINFLT, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check,
);
