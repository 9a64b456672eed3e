/* Pages for benchmarks of faults and mappings: memory that was not touched yet, and which pages of a mapping are resident. */
#define _GNU_SOURCE
#include <kbench_files.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

void *kb_map_small(struct kb_run *run, size_t bytes, int flags, int fd)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED) {
		kb_fail(run, errno, "mapping of %zu bytes", bytes);
		return NULL;
	}
	madvise(memory, bytes, MADV_NOHUGEPAGE);        /* fails where the kernel has none */
	return memory;
}

int kb_unmap(struct kb_run *run, volatile void *memory, size_t bytes)
{
	return munmap((void *)(uintptr_t)memory, bytes) ? kb_fail(run, errno, "unmapping of %zu bytes", bytes) : 0;
}

/* ---- first writes ------------------------------------------------------------------------------------ */

struct kb_first_writes kb_first_writes;

void kb_first_writes_map(int flags, int fd)
{
	kb_first_writes = (struct kb_first_writes){ .page_bytes = (size_t)sysconf(_SC_PAGESIZE), .flags = flags, .fd = fd };
}

int kb_first_writes_before(struct kb_run *run, uint64_t n)
{
	kb_first_writes.pages = kb_map_small(run, n * kb_first_writes.page_bytes, kb_first_writes.flags, kb_first_writes.fd);
	return kb_first_writes.pages ? 0 : -ENOMEM;
}

static void write_pages(volatile unsigned char *memory, uint64_t n, size_t step)
{
	for (uint64_t i = 0; i < n; i++)
		memory[i * step] = KB_FIRST_WRITTEN;
}

int kb_first_writes_op(struct kb_run *run, uint64_t n)
{
	(void)run;
	write_pages(kb_first_writes.pages, n, kb_first_writes.page_bytes);
	return 0;
}

/* The same loop, its steps 0 bytes long. */
int kb_first_writes_base(struct kb_run *run, uint64_t n)
{
	static volatile unsigned char resident;

	(void)run;
	write_pages(&resident, n, 0);
	return 0;
}

int kb_first_writes_after(struct kb_run *run, uint64_t n)
{
	return kb_unmap(run, kb_first_writes.pages, n * kb_first_writes.page_bytes);
}

/* ---- what is in memory ------------------------------------------------------------------------------- */

uint64_t kb_pages_in(const volatile void *memory, size_t bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), room = 4096;
	unsigned char in_memory[4096];         /* room */
	uint64_t count = 0;

	for (size_t done = 0; done < bytes; done += room * page_bytes) {
		size_t pages = (bytes - done + page_bytes - 1) / page_bytes;

		pages = pages < room ? pages : room;
		if (mincore((char *)(uintptr_t)memory + done, pages * page_bytes, in_memory))
			return UINT64_MAX;
		for (size_t i = 0; i < pages; i++)
			count += in_memory[i] & 1;
	}
	return count;
}
