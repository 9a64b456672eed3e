/*
 * fault.major: the first touch of a file page that is on the disk only. The pages leave the page cache before each sample,
 * while no mapping holds them. readahead=off asks for one page; readahead=window lets the kernel read around the fault as
 * far as the device is set to: how many pages come is foretold by that setting, and counted. The host may have a cache.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILE_BYTES (16u << 20)  /* 256 pages of 64 KB, the largest, and as many faults at most */
#define STEP 1021u              /* pages; odd, so that a power of two of pages is visited before any twice */

static int file = -1;
static size_t page_bytes, pages, next, window = 1, came;        /* pages that come with a fault; with the last sample */
static volatile const unsigned char *memory;

static volatile const unsigned char *page_at(uint64_t i)
{
	return memory + page_bytes * (window > 1 ? (next + i) % (pages / window) * window + window / 2 : (next + i) * STEP % pages);
}

/* Maps the file without a page of it in memory; opened anew, as the kernel counts the misses of each opening. */
static int map_evicted(struct kb_run *run)
{
	void *map = (void *)(uintptr_t)memory;

	if (map && munmap(map, FILE_BYTES))
		return kb_fail(run, errno, "unmapping the scratch file");
	memory = NULL;
	int fd = kb_open_evicted(run, file);

	map = fd < 0 ? MAP_FAILED : mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || close(fd) || madvise(map, FILE_BYTES, window > 1 ? MADV_NORMAL : MADV_RANDOM))
		return kb_fail(run, errno, "mapping the scratch file with advice on read-ahead");
	memory = map;
	return 0;
}

static int setup(struct kb_run *run)
{
	int error = kb_scratch_file(run, FILE_BYTES, &file);
	char text[32];

	pages = FILE_BYTES / (page_bytes = (size_t)sysconf(_SC_PAGESIZE));
	if (!error && kb_param_is(run, "readahead", "window")) {
		if (kb_device_of(file, "queue/read_ahead_kb", text, sizeof text))
			return kb_skip(run, "the scratch directory is not on a single block device, which would have a read-ahead");
		window = strtoull(text, NULL, 10) * 1024 / page_bytes;
		if (window < 2 || window > pages / 2)
			return kb_skip(run, "the read-ahead of the device is %zu pages, not between 2 and 8 MB", window);
		run->max_n = pages / window;
	}
	error = error ?: map_evicted(run);
	if (!error && kb_pages_in(memory, FILE_BYTES) == pages)
		return kb_skip(run, "the scratch directory keeps its files in memory (tmpfs?), no fault can reach a disk");
	kb_expect(run, KB_SEEN, (double)window, 0.02 * (double)window);
	return error;
}

static int before(struct kb_run *run, uint64_t n)
{
	int error = map_evicted(run);

	kb_count(run, KB_SEEN, came);
	for (uint64_t i = 0; i < n && !error; i++)
		kb_count(run, KB_ABSENT, kb_pages_in(page_at(i), page_bytes) == 0);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		(void)*page_at(i);
	return 0;
}

/* The fault does not wait for the other pages of its window, and at times one of thousands does not come at all. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t all = n * window, most = all - all / 64;

	next += n;
	for (int ms = 0; (came = kb_pages_in(memory, FILE_BYTES)) < (ms < 50 ? all : most) && ms < 2000; ms++)
		usleep(1000);
	return came >= most && came <= all ? 0 : kb_fail(run, EPROTO, "%llu pages came with %llu faults, not %zu each",
	                                                 (unsigned long long)came, (unsigned long long)n, window);
}

KB_BENCHMARK(
	.summary = "major page fault: first touch of a file page that is not in the page cache", .per = "fault",
	.suite = KB_STANDARD, .portability = KB_ASSUMING,
	.assumes = "madvise and fadvise evict clean pages and turn read-ahead off", .max_n = FILE_BYTES >> 16,
	.params = { { "readahead", "around the fault", KB_CHOICE, "off;window", 0, 0, "off,window" } },
	.expect = { { KB_MAJFLT, .per_op = 1 }, { KB_ABSENT, .per_op = 1 } },
	.setup = setup, .before = before, .op = op, .check = check,
);
