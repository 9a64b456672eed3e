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

static int setup(struct kb_run *run)
{
	static unsigned char ones[65536];
	int file;

	kb_first_writes_map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (kb_param_is(run, "memory", "anonymous"))
		return 0;
	file = memfd_create("kbench", MFD_CLOEXEC);
	kb_first_writes_map(kb_param_is(run, "memory", "shared-file") ? MAP_SHARED : MAP_PRIVATE, file);
	memset(ones, 1, sizeof ones);
	for (size_t done = 0; file >= 0 && done < PAGES_MAX * kb_first_writes.page_bytes; done += sizeof ones) {
		if (write(file, ones, sizeof ones) != (ssize_t)sizeof ones)
			return kb_fail(run, errno, "filling a file in memory");
	}
	return file < 0 ? kb_fail(run, errno, "creating a file in memory") : 0;
}

/* What a private mapping writes, the file must not get; what a shared one writes, it must. */
static int check(struct kb_run *run, uint64_t n)
{
	const struct kb_first_writes *writes = &kb_first_writes;
	size_t at = (n - 1) * writes->page_bytes;
	unsigned char last[1] = { 0 }, wanted = writes->flags == MAP_SHARED ? KB_FIRST_WRITTEN : 1;

	if (writes->fd >= 0 && pread(writes->fd, last, 1, (off_t)at) != 1)
		return kb_fail(run, errno, "reading the file in memory");
	if (writes->pages[at] != KB_FIRST_WRITTEN || (writes->fd >= 0 && last[0] != wanted))
		return kb_fail(run, EILSEQ, "the last page was not written, or the wrong one");
	return 0;
}

#define MEMORY "anonymous,shared-file,private-file"
KB_BENCHMARK(
	.summary = "first write to each page of a mapping", .per = "page", .max_n = PAGES_MAX,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "a write maps one page: no huge pages",
	.params = { { "memory", "that is mapped", KB_CHOICE, MEMORY, 0, 0, MEMORY } },
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = kb_first_writes_before,
	.op = kb_first_writes_op, .base = kb_first_writes_base, .check = check, .after = kb_first_writes_after,
);
