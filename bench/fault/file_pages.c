/*
 * fault.file_pages: what it costs, page by page, to touch all of a mapped file that is in the page cache. A fault maps the cached pages
 * around it, so only some touches fault; how much one fault maps, and how dear that is, depends on the pieces (folios) in which the file
 * lies in the cache. They are as large as the writes that made them, where the file system allows it: each must be of the size that the
 * parameter says, by /proc/kpageflags, which only root may read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILE_BYTES ((size_t)4 << 20)
#define MAPPINGS 4u                     /* of the file, one behind the other: a sample goes through one, two or four */
#define AROUND (64u << 10)              /* what a fault maps of small folios */
#define HUGE ((size_t)2 << 20)          /* and of large ones; addresses of it must be aligned */
#define PAGES_MAX (FILE_BYTES >> 12)
#define HEAD (UINT64_C(1) << 15)        /* kpageflags: first page of a folio, and the others */
#define TAIL (UINT64_C(1) << 16)

static volatile const unsigned char *memory;
static volatile const unsigned char resident[1] = { 1 };
static size_t page_bytes, folio;
static uint64_t pages, sum;
static uint32_t order[PAGES_MAX];

static int write_folios(struct kb_run *run, int fd)
{
	char *ones = malloc(folio);
	bool good = ones != NULL;

	for (size_t i = 0; good && i < folio; i++)
		ones[i] = 1;
	for (size_t at = 0; good && at < FILE_BYTES; at += folio)
		good = pwrite(fd, ones, folio, (off_t)at) == (ssize_t)folio;
	free(ones);
	return good && fdatasync(fd) == 0 ? 0 : kb_fail(run, errno, "writing the scratch file");
}

static int map_copies(struct kb_run *run, int fd)
{
	char *at = mmap(NULL, MAPPINGS * FILE_BYTES + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return kb_fail(run, errno, "reserving addresses");
	at += HUGE - (uintptr_t)at % HUGE;
	memory = (void *)at;
	for (unsigned i = 0; i < MAPPINGS; i++, at += FILE_BYTES) {
		if (mmap(at, FILE_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return kb_fail(run, errno, "mapping the scratch file");
	}
	return 0;
}

/* Each page once, in the order of addresses or in another. */
static void make_order(const struct kb_run *run)
{
	uint64_t state = run->seed | 1;

	for (uint32_t i = 0; i < pages; i++)
		order[i] = i;
	for (uint64_t i = pages - 1; i > 0 && kb_param_is(run, "order", "random"); i--) {
		uint64_t other = (state = state * 6364136223846793005u + 1442695040888963407u) >> 33;
		uint32_t one = order[i];

		order[i] = order[other % (i + 1)];
		order[other % (i + 1)] = one;
	}
}

static uint64_t read_pages(volatile const unsigned char *from, uint64_t n, size_t step, size_t next)
{
	uint64_t got = 0;

	for (uint64_t done = 0; done < n; done += pages, from += next)
		for (uint64_t i = 0; i < pages; i++)
			got += from[order[i] * step];
	return got;
}

/* Pages of the first mapping that begin a folio, and that are in one of several pages. false: the kernel does not tell. */
static bool count_folios(uint64_t *heads, uint64_t *compound)
{
	static uint64_t entries[PAGES_MAX];
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	bool known = map >= 0 && flags >= 0 &&
		     pread(map, entries, pages * 8, (off_t)((uintptr_t)memory / page_bytes * 8)) == (ssize_t)(pages * 8);

	*heads = *compound = 0;
	for (uint64_t i = 0; i < pages && known; i++) {
		uint64_t frame = entries[i] & ((UINT64_C(1) << 55) - 1), of = 0;

		known = frame && pread(flags, &of, 8, (off_t)(frame * 8)) == 8;
		*heads += !!(of & HEAD);
		*compound += !!(of & (HEAD | TAIL));
	}
	close(map);
	close(flags);
	return known;
}

static int check_folios(struct kb_run *run)
{
	uint64_t heads, compound, wanted = folio > page_bytes ? FILE_BYTES / folio : 0;

	if (!count_folios(&heads, &compound))
		kb_unproven(run, "/proc/kpageflags shows only root in which folios the file lies");
	else if (heads != wanted || compound != (wanted ? pages : 0))
		return kb_skip(run, "written in pieces of %zu KB, the file lies in %llu folios, and not in %zu: TMPDIR on ext4 or xfs of a "
			       "newer kernel, where enough memory is free in one piece", folio >> 10,
			       (unsigned long long)(heads + pages - compound), FILE_BYTES / folio);
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return madvise((void *)(uintptr_t)memory, MAPPINGS * FILE_BYTES, MADV_DONTNEED) ? kb_fail(run, errno, "dropping the mappings") : 0;
}

static int setup(struct kb_run *run)
{
	int fd, error = kb_scratch_file(run, 0, &fd);

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	folio = kb_param_number(run, "folio");
	pages = FILE_BYTES / page_bytes;
	run->granule = pages;
	run->max_n = MAPPINGS * pages;
	if (folio < page_bytes || folio & (folio - 1))
		return kb_skip(run, "no folio has %zu bytes: a page has %zu", folio, page_bytes);
	error = error ?: write_folios(run, fd) ?: map_copies(run, fd);
	if (error)
		return error;
	make_order(run);
	sum = read_pages(memory, pages, page_bytes, 0);

	double faults = (double)page_bytes / (folio >= HUGE ? (double)HUGE : AROUND);

	kb_expect(run, KB_MINFLT, faults, 0.05 * faults);
	return check_folios(run) ?: before(run, 0);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = read_pages(memory, n, page_bytes, FILE_BYTES);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = read_pages(resident, n, 0, 0);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n ? 0 : kb_fail(run, EILSEQ, "%llu pages held what was written", (unsigned long long)sum);
}

KB_BENCHMARK(
	.summary = "touching all pages of a mapped file in the page cache, by the size of its folios there", .per = "page",
	.suite = KB_FULL, .portability = KB_PLATFORM, .lmbench = "lat_pagefault", .lmbench_with = "folio=4K,2M order=random",
	.assumes = "a fault maps the cached pages of its 64 KB, or all of a folio of 2 MB", .max_n = MAPPINGS * PAGES_MAX,
	.params = {
		{ "folio", "of the file, in the page cache", KB_SIZE, "4K,2M;64K", 4096, HUGE, NULL },
		{ "order", "of the pages", KB_CHOICE, "forward;random", 0, 0, "forward,random" },
	},
	.expect = { { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = base, .check = check,
);
