/*
 * fault.huge: the first touch of a huge page of anonymous memory. All of its small pages must be there afterwards: the
 * kernel falls back to one small page without a word when it finds no free huge one, and that would look 200 times faster.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define HUGE_MAX 8u             /* in a sample */
#define HUGE_BYTES (32u << 20)  /* of one at most: a sample of 256 MB */

static size_t huge_bytes, page_bytes;
static unsigned char *region, *memory;

static size_t number_in(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	return got > 0 ? strtoull(text, NULL, 10) : 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	region = mmap(NULL, (HUGE_MAX + 1) * huge_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (region == MAP_FAILED)
		return kb_fail(run, errno, "mapping of %u huge pages", HUGE_MAX + 1);
	memory = region + (huge_bytes - (uintptr_t)region % huge_bytes) % huge_bytes;
	return madvise(memory, HUGE_MAX * huge_bytes, MADV_HUGEPAGE) ? kb_fail(run, errno, "asking for huge pages") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		*(volatile unsigned char *)(memory + i * huge_bytes) = 1;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t found = kb_pages_in(memory, HUGE_MAX * huge_bytes), wanted = n * (huge_bytes / page_bytes);

	return found == wanted ? 0 : kb_fail(run, EPROTO, "%llu small pages came, not %llu: no huge page was free",
	                                     (unsigned long long)found, (unsigned long long)wanted);
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)n;
	return munmap(region, (HUGE_MAX + 1) * huge_bytes) ? kb_fail(run, errno, "unmapping huge pages") : 0;
}

/* One fault before all others: whether there are huge pages at all. */
static int setup(struct kb_run *run)
{
	int error;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	huge_bytes = number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	if (!huge_bytes || huge_bytes > HUGE_BYTES)
		return kb_skip(run, "no transparent huge pages of up to 32 MB in this kernel");
	error = before(run, 1) ?: op(run, 1);
	if (!error && kb_pages_in(memory, huge_bytes) != huge_bytes / page_bytes)
		return kb_skip(run, "no huge page was given: see /sys/kernel/mm/transparent_hugepage/enabled, or none is free");
	run->bytes_per_op = huge_bytes;
	return error ?: after(run, 1);
}

KB_BENCHMARK(
	.summary = "page fault on a transparent huge page: first touch", .per = "fault", .max_n = HUGE_MAX, .huge = true,
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "a free huge page is found for each fault",
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.01 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check, .after = after,
);
