/*
 * fault.major: the first touch of a file page that is on the disk only. The pages leave the page cache before each
 * interval, which works only while no mapping holds them; MADV_RANDOM keeps read-ahead from bringing in more than was
 * asked for. What `disk` means here the host decides: it may have a cache of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define FILE_BYTES (16u << 20)
#define PAGES_MAX (FILE_BYTES >> 16)    /* fewer than the file has, with pages of 64 KB too */
#define STEP 1021u                      /* pages; odd, so that a power of two of pages is visited before any twice */

static int file = -1;
static size_t page_bytes, pages, next;
static volatile const unsigned char *memory;
static unsigned char incore[FILE_BYTES >> 12];

static size_t page_at(uint64_t i)
{
	return (next + i) * STEP % pages;
}

/* Maps the file without a page of it in memory, and asks whether that is so: incore. */
static int map_evicted(struct kb_run *run)
{
	void *map = (void *)(uintptr_t)memory;
	int error;

	if (map && munmap(map, FILE_BYTES))
		return kb_fail(run, errno, "unmapping the scratch file");
	memory = NULL;
	error = posix_fadvise(file, 0, FILE_BYTES, POSIX_FADV_DONTNEED);
	if (error)
		return kb_fail(run, error, "evicting the scratch file");
	map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, file, 0);
	if (map == MAP_FAILED)
		return kb_fail(run, errno, "mapping the scratch file");
	memory = map;
	if (madvise(map, FILE_BYTES, MADV_RANDOM) || mincore(map, FILE_BYTES, incore))
		return kb_fail(run, errno, "asking for no read-ahead and for the pages in memory");
	return 0;
}

static uint64_t absent_of(uint64_t n)
{
	uint64_t absent = 0;

	for (uint64_t i = 0; i < n; i++)
		absent += !(incore[page_at(i)] & 1);
	return absent;
}

static int setup(struct kb_run *run)
{
	int error;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	pages = FILE_BYTES / page_bytes;
	error = kb_scratch_file(run, FILE_BYTES, &file) ?: map_evicted(run);
	if (!error && !absent_of(pages))
		return kb_skip(run, "the scratch folder keeps its files in memory (tmpfs?), no fault can reach a disk");
	return error;
}

static int before(struct kb_run *run, uint64_t n)
{
	int error = map_evicted(run);

	kb_count(run, KB_ABSENT, error ? 0 : absent_of(n));
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		(void)memory[page_at(i) * page_bytes];
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)run;
	next += n;
	return 0;
}

KB_BENCHMARK(
	.summary = "first touch of a file page that must come from the disk",
	.per = "fault",
	.max_n = PAGES_MAX,
	.expect = { { KB_MAJFLT, .per_op = 1 }, { KB_ABSENT, .per_op = 1 } },
	.setup = setup, .before = before, .op = op, .after = after,
);
