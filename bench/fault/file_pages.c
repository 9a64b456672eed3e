/*
 * fault.file_pages: what it costs, page by page, to touch all of a mapped file that is in the page cache. A fault maps the cached pages
 * around it, so only some touches fault; how much one fault maps, and how dear that is, depends on the pieces (folios) in which the file
 * lies there: as large as the writes that made them, if the file system can do that. The kernel must show them to be.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILE_BYTES ((size_t)4 << 20)
#define MAPPINGS 4u                     /* of the file, one behind the other: a sample goes through one, two or four */
#define AROUND (64u << 10)              /* what a fault maps of smaller folios */
#define HUGE ((size_t)2 << 20)          /* a folio that one fault maps */

static volatile const unsigned char *memory, resident[1] = { 1 };
static size_t page_bytes;
static uint64_t pages, sum;
static uint32_t order[FILE_BYTES >> 12];       /* each page once */

static uint64_t read_pages(volatile const unsigned char *from, uint64_t n, size_t step, size_t next)
{
	uint64_t got = 0;

	for (uint64_t done = 0; done < n; done += pages, from += next)
		for (uint64_t i = 0; i < pages; i++)
			got += from[order[i] * step];
	return got;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return madvise((void *)(uintptr_t)memory, MAPPINGS * FILE_BYTES, MADV_DONTNEED) ? kb_fail(run, errno, "dropping mappings") : 0;
}

static int look_at_folios(struct kb_run *run, uint64_t wanted)
{
	uint64_t folios, large;

	if (!kb_folios(memory, FILE_BYTES, &folios, &large))
		kb_unproven(run, "/proc/kpageflags shows only root in which folios the file lies");
	else if (folios != wanted || large != (wanted < pages ? wanted : 0))
		return kb_skip(run, "the file lies in %u folios, not %u: set TMPDIR to a file system that makes large ones", (unsigned)folios,
			       (unsigned)wanted);
	return 0;
}

static int setup(struct kb_run *run)
{
	size_t folio = kb_param_number(run, "folio"), page = (size_t)sysconf(_SC_PAGESIZE), one_fault = folio >= HUGE ? HUGE : AROUND;
	double faults = (double)page / (double)one_fault;
	int fd, error;

	page_bytes = page;
	pages = FILE_BYTES / page;
	run->granule = pages;
	run->max_n = MAPPINGS * pages;
	if (folio < page || folio & (folio - 1))
		return kb_skip(run, "no folio has %zu bytes: a page has %zu", folio, page);
	kb_order(run, order, (uint32_t)pages);
	error = kb_scratch_pieces(run, FILE_BYTES, folio, &fd);
	memory = error ? NULL : kb_map_copies(run, fd, FILE_BYTES, MAPPINGS, HUGE);
	if (!memory)
		return error ?: -ENOMEM;
	sum = read_pages(memory, pages, page, 0);
	kb_expect(run, KB_MINFLT, faults, 0.05 * faults);
	return look_at_folios(run, FILE_BYTES / folio) ?: before(run, 0);
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
	.suite = KB_FULL, .portability = KB_PLATFORM, .lmbench = "lat_pagefault", .lmbench_with = "folio=4K,8K order=random",
	.assumes = "a fault maps the cached pages of its 64 KB, or all of a folio of 2 MB", .max_n = MAPPINGS * (FILE_BYTES >> 12),
	.params = {
		{ "folio", "of the file, in the page cache", KB_SIZE, "4K,2M;64K", 4096, HUGE, NULL },
		{ "order", "of the pages", KB_CHOICE, "forward;random", 0, 0, "forward,random" },
	},
	.expect = { { KB_MAJFLT } }, .setup = setup, .before = before, .op = op, .base = base, .check = check,
);
