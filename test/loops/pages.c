/*
 * What the first write to a page costs, by which page of the machine's memory it gets: pages ROUNDS CPU. A pool of pages is freed and
 * written one by one in random order; the kernel gives the page back that was freed last. A line a fault: page frame, ticks, ticks of
 * the contention probe before and after. Frames need root; without, they are 0. x86-64 only.
 */
#define _GNU_SOURCE
#include "samples.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define POOL 512u
#define PAGE 4096u
#define STRIDE (512u * 1024u)           /* no two pages of the pool are neighbours, so that none is mapped with another */

static uint64_t frame_of(int pagemap, const void *address)
{
	uint64_t entry = 0;

	if (pagemap < 0 || pread(pagemap, &entry, sizeof entry, (off_t)((uintptr_t)address / PAGE * sizeof entry)) != sizeof entry)
		return 0;
	return entry & ((UINT64_C(1) << 55) - 1);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 0, order[POOL];

	if (rounds == 0 || argc != 3) {
		fprintf(stderr, "usage: pages ROUNDS CPU\n");
		return 2;
	}
	pin(0, atoi(argv[2]));
	volatile char *memory = mmap(NULL, (size_t)POOL * STRIDE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (memory == MAP_FAILED || madvise((void *)memory, (size_t)POOL * STRIDE, MADV_NOHUGEPAGE)) {
		perror("mmap");
		return 1;
	}
	srand((unsigned)getpid());
	printf("hz %.0f\n", clock_hz());
	for (unsigned i = 0; i < POOL; i++) {
		order[i] = i;
		memory[(size_t)i * STRIDE] = 1;
	}
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < POOL; i++) {
			unsigned j = i + (unsigned)rand() % (POOL - i), other = order[j];
			volatile char *page = memory + (size_t)other * STRIDE;

			order[j] = order[i];
			order[i] = other;
			madvise((void *)page, PAGE, MADV_DONTNEED);
			uint32_t before = probe();
			uint64_t start = now();

			*page = 1;
			uint32_t ticks = (uint32_t)(now() - start), after = probe();

			printf("%llu %u %u %u\n", (unsigned long long)frame_of(pagemap, (const void *)page), ticks, before, after);
		}
	}
	return 0;
}
