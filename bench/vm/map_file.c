/*
 * vm.map_file: what a program pays that maps a file, writes to some of its pages, and unmaps it: the calls, a fault for each page that is
 * touched, and what unmapping has to undo. The file is in the page cache, page by page. touch=dense: a byte each 16 KB of the first tenth;
 * touch=sparse: as many, over all of it. The parts are vm.mmap, vm.touch memory=shared-file and vm.munmap.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define PART 10u                        /* of the mapping is touched, or so much further apart */
#define STEP (16u << 10)

static int file;
static size_t bytes, reach, step;       /* reach: of what is touched */
static unsigned char value;             /* of the current sample */

static int setup(struct kb_run *run)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	bool sparse = kb_param_is(run, "touch", "sparse");

	bytes = kb_param_number(run, "size");
	reach = sparse ? bytes : bytes / PART;
	step = sparse ? PART * STEP : STEP;
	if (bytes % page)
		return kb_fail(run, EINVAL, "size must be a multiple of the page, %zu bytes", page);
	if (step < page)
		return kb_skip(run, "a page has %zu bytes here: a fault would serve several touches", page);

	double touches = (double)((reach + step - 1) / step);
	kb_expect(run, KB_MINFLT, touches, 0.01 * touches);
	/* Page by page, or the file would lie in memory in larger pieces, and one fault could map more than a page. */
	return kb_scratch_pieces(run, bytes, page, &file);
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	value++;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		volatile unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

		if (memory == MAP_FAILED)
			return kb_fail(run, errno, "mapping of %zu bytes", bytes);
		for (size_t at = 0; at < reach; at += step)
			memory[at] = value;
		if (munmap((void *)(uintptr_t)memory, bytes))
			return kb_fail(run, errno, "unmapping of %zu bytes", bytes);
	}
	return 0;
}

/* What was written must be in the file. */
static int check(struct kb_run *run, uint64_t n)
{
	unsigned char found;

	for (size_t at = 0; at < reach && n > 0; at += step) {
		if (pread(file, &found, 1, (off_t)at) != 1 || found != value)
			return kb_fail(run, EILSEQ, "at %zu the file does not have what was written", at);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "mmap of a file in the page cache, writes to some of its pages, munmap", .per = "mapping",
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lat_mmap", .lmbench_with = "size=512K,8M touch=dense",
	.assumes = "a write maps one page, and no write-back happens during a sample",
	.params = {
		{ "size", "of the file and its mapping, bytes", KB_SIZE, "512K;8M", 64u << 10, 1u << 30, NULL },
		{ "touch", "each 16 KB of a tenth, or each 160 KB", KB_CHOICE, "dense;sparse", 0, 0, "dense,sparse" },
	},
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check,
);
