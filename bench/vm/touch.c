/*
 * vm.touch: the first write to each page of a mapping that is there already, by what is mapped: new anonymous memory, a
 * shared file that lies in memory, or a private view of it, whose page is copied.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define PAGES_MAX 1024u

static size_t page_bytes;
static int file = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
static volatile unsigned char *pages;   /* of the next sample */
static volatile unsigned char resident;

static int setup(struct kb_run *run)
{
	static unsigned char ones[65536];
	size_t bytes = PAGES_MAX * (page_bytes = (size_t)sysconf(_SC_PAGESIZE));

	if (kb_param_is(run, "memory", "anonymous"))
		return 0;
	flags = kb_param_is(run, "memory", "shared-file") ? MAP_SHARED : MAP_PRIVATE;
	file = memfd_create("kbench", MFD_CLOEXEC);
	memset(ones, 1, sizeof ones);
	for (size_t done = 0; file >= 0 && done < bytes; done += sizeof ones) {
		if (write(file, ones, sizeof ones) != (ssize_t)sizeof ones)
			return kb_fail(run, errno, "filling a file in memory");
	}
	return file < 0 ? kb_fail(run, errno, "creating a file in memory") : 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	pages = kb_map_small(run, n * page_bytes, flags, file);
	return pages ? 0 : -ENOMEM;
}

static void write_pages(volatile unsigned char *memory, uint64_t n, size_t step)
{
	for (uint64_t i = 0; i < n; i++)
		memory[i * step] = 2;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	write_pages(pages, n, page_bytes);
	return 0;
}

/* The same loop, its steps 0 bytes long. */
static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	write_pages(&resident, n, 0);
	return 0;
}

/* What a private mapping writes, the file must not get; what a shared one writes, it must. */
static int check(struct kb_run *run, uint64_t n)
{
	unsigned char last[1] = { 0 }, wanted = flags == MAP_SHARED ? 2 : 1;

	if (file >= 0 && pread(file, last, 1, (off_t)((n - 1) * page_bytes)) != 1)
		return kb_fail(run, errno, "reading the file in memory");
	if (pages[(n - 1) * page_bytes] != 2 || (file >= 0 && last[0] != wanted))
		return kb_fail(run, EILSEQ, "the last page was not written, or the wrong one");
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	return kb_unmap(run, pages, n * page_bytes);
}

#define MEMORY "anonymous,shared-file,private-file"
KB_BENCHMARK(
	.summary = "first write to each page of a mapping", .per = "page", .max_n = PAGES_MAX,
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lat_mmap", .assumes = "a write maps one page: no huge pages",
	.params = { { "memory", "that is mapped", KB_CHOICE, MEMORY, 0, 0, MEMORY } },
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = base, .check = check, .after = after,
);
