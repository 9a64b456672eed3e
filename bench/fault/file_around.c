/*
 * fault.file_around: how many pages one fault maps, and what each costs. Of every 64 KB of a file `pages` are in memory,
 * the rest is a hole that nobody reads: a fault on the first maps all of them and no more, which the page map shows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define WINDOW (64u << 10)      /* of the kernel's fault_around_bytes, and the largest page */
#define WINDOWS_MAX 64u
#define BYTES ((size_t)WINDOWS_MAX * WINDOW)

static volatile const unsigned char *memory;
static uint64_t pages, page_bytes, found;      /* found: mapped by the last sample, claimed with the next */
static int map = -1;

/* Pages that have an entry in the page table now, bit 63 of the page map; mincore would tell of the cache. */
static uint64_t mapped(void)
{
	static uint64_t entries[BYTES >> 12];
	size_t count = BYTES / page_bytes;
	uint64_t present = 0;

	if (pread(map, entries, count * 8, (off_t)((uintptr_t)memory / page_bytes * 8)) != (ssize_t)(count * 8))
		return UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		present += entries[i] >> 63;
	return present;
}

/* In memory alone: a page that is on its way to a disk at the time is left out. */
static int fill(int fd)
{
	char *bytes = calloc(1, page_bytes);
	bool good = bytes && fd >= 0 && ftruncate(fd, BYTES) == 0;

	for (size_t at = 0; good && at < BYTES; at += WINDOW)
		for (uint64_t i = 0; i < pages; i++)
			good &= pwrite(fd, bytes, page_bytes, (off_t)(at + i * page_bytes)) == (ssize_t)page_bytes;
	free(bytes);
	return good ? 0 : -errno;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	kb_count(run, KB_SEEN, found);
	found = 0;
	return madvise((void *)(uintptr_t)memory, BYTES, MADV_DONTNEED) ? kb_fail(run, errno, "dropping the mappings") : 0;
}

static int setup(struct kb_run *run)
{
	int fd = memfd_create("kbench", MFD_CLOEXEC), error;
	char *at = mmap(NULL, BYTES + WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	pages = kb_param_number(run, "pages");
	page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	if (pages * page_bytes > WINDOW)
		return kb_skip(run, "a fault maps %u pages here at most", WINDOW / (unsigned)page_bytes);
	if ((error = fill(fd)))
		return kb_fail(run, -error, "filling a file in memory");
	map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (map < 0 || at == MAP_FAILED)
		return kb_fail(run, errno, "open of /proc/self/pagemap, or reserving addresses");
	at = mmap(at + (WINDOW - (uintptr_t)at % WINDOW), BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	if (at == MAP_FAILED)
		return kb_fail(run, errno, "mapping the file");
	memory = (void *)at;
	kb_expect(run, KB_SEEN, (double)pages, 0.1 * (double)pages);
	return before(run, 0);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		(void)memory[i * WINDOW];
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	found = mapped();
	return found == n * pages ? 0 : kb_fail(run, EPROTO, "%llu faults mapped %llu pages (fault_around_bytes is not 64 KB?)",
	                                        (unsigned long long)n, (unsigned long long)found);
}

KB_BENCHMARK(
	.summary = "minor page fault on a mapped file, by the number of pages that it maps", .per = "fault",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "a fault maps the cached pages of its 64 KB",
	.params = { { "pages", "in memory of each 64 KB", KB_NUMBER, "1,16", 1, 16, NULL } }, .max_n = WINDOWS_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check,
);
