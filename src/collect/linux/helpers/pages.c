/* Pages for benchmarks of faults and mappings: memory that nobody has touched yet, and what of a mapping is in memory. */
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
