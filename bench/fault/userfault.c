/*
 * fault.userfault: a missing page that another thread of the process supplies: the fault stops, the thread reads of it,
 * copies a numbered page there, and the access goes on. Two switches are inside; other-cpu adds the wake-ups.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_files.h>
#include <kbench_parties.h>

#define PAGES_MAX 256u

static char *memory;
static size_t page_bytes;
static int faults;
static uint64_t *source, next, sum, wanted;

/* Ends the process where it cannot go on: the access would wait for ever. */
static void *supply(void *run)
{
	struct uffd_msg message;

	while (read(faults, &message, sizeof message) == sizeof message) {
		uintptr_t page = (uintptr_t)message.arg.pagefault.address / page_bytes * page_bytes;
		struct uffdio_copy copy = { .dst = page, .src = (uintptr_t)source, .len = page_bytes };

		*source = ++next;
		kb_count(run, KB_SEEN, 1);
		if (message.event != UFFD_EVENT_PAGEFAULT || ioctl(faults, UFFDIO_COPY, &copy))
			break;
	}
	abort();
}

static int setup(struct kb_run *run)
{
	struct uffdio_api api = { .api = UFFD_API };

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api))
		return kb_skip(run, "userfaultfd is refused here (error %d)", errno);
	source = aligned_alloc(page_bytes, page_bytes);
	memory = mmap(NULL, PAGES_MAX * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register where = { .range = { (uintptr_t)memory, PAGES_MAX * page_bytes }, .mode = UFFDIO_REGISTER_MODE_MISSING };

	if (memory == MAP_FAILED || !source || ioctl(faults, UFFDIO_REGISTER, &where))
		return kb_fail(run, errno, "preparing %u pages", PAGES_MAX);
	return kb_thread_on(run, kb_param_is(run, "placement", "other-cpu"), supply, run);
}

static int before(struct kb_run *run, uint64_t n)
{
	wanted = n * next + n * (n + 1) / 2;
	return madvise(memory, PAGES_MAX * page_bytes, MADV_DONTNEED) ? kb_fail(run, errno, "dropping the pages") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += *(volatile uint64_t *)(void *)(memory + i * page_bytes);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return sum == wanted ? 0 : kb_fail(run, EILSEQ, "the pages are not the numbered ones");
}

/* Kernels differ in whether they call it a fault with input. */
KB_BENCHMARK(
	.summary = "page fault resolved by a thread of the process (userfaultfd)", .per = "fault", .max_n = PAGES_MAX,
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "a missing page is requested once",
	.params = { { "placement", "of the thread", KB_CHOICE, "same-cpu,other-cpu", .choices = "same-cpu,other-cpu" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_MINFLT, 0.5, 0, 0.51, KB_SELF, 0 }, { KB_MAJFLT, 0.5, 0, 0.51, KB_SELF, 0 } },
	.setup = setup, .before = before, .op = op, .check = check,
);
