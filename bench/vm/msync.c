/*
 * vm.msync: one page of a mapped file is written and sent to the disk (sync: the call returns when it is there), or only
 * noted (async: Linux does nothing at once). A page that was sent cannot be written before a fault: that proves the sync.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILE_BYTES (1u << 20)

static volatile unsigned char *memory;
static size_t page_bytes, at;
static int file, flags;
static unsigned char number;

static int setup(struct kb_run *run)
{
	static const char zeros[FILE_BYTES];
	int error = kb_scratch_file_on(run, "disk", &file);

	if (error)
		return error;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	flags = kb_param_is(run, "how", "sync") ? MS_SYNC : MS_ASYNC;
	if (write(file, zeros, FILE_BYTES) != FILE_BYTES || fsync(file))
		return kb_fail(run, errno, "writing the scratch file");
	void *map = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (map == MAP_FAILED)
		return kb_fail(run, errno, "mapping the scratch file");
	memory = map;
	return 0;
}

/* async: the page has been written before, so its fault lies outside. */
static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	at = (at + page_bytes) % FILE_BYTES;
	if (flags == MS_ASYNC)
		memory[at] = 1;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		memory[at] = ++number;
		if (msync((char *)(uintptr_t)memory + at, page_bytes, flags))
			return kb_fail(run, errno, "msync of a page");
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	unsigned char found;

	(void)n;
	if (pread(file, &found, 1, (off_t)at) != 1 || found != number)
		return kb_fail(run, EILSEQ, "the file does not hold what was written");
	return 0;
}

#define HOW "sync,async"
KB_BENCHMARK(
	.summary = "msync of a written page of a mapped file", .per = "call", .max_n = 1024,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "a synced page is written to the disk, and is clean afterwards",
	.params = { { "how", "it is sent", KB_CHOICE, HOW, 0, 0, HOW } },
	.expect = {
		{ KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT, 1, 0, 0.02, KB_SELF, "how=sync" },
		{ KB_MINFLT, 0, 0, 0.02, KB_SELF, "how=async" }, { KB_MAJFLT }, { KB_NVCSW, 5, 0, 5, KB_SELF, "how=sync" },
	},
	.setup = setup, .before = before, .op = op, .check = check,
);
