/*
 * Into the kernel on aarch64, at EL1: the loader's gigabyte as it is in TTBR0, the kernel's window in TTBR1 by blocks of 2 MiB, for it may
 * begin at any of those, and the memory types that the kernel takes for granted.
 */
#include "load.h"

#define TABLE 3ull
#define NORMAL 0x711ull                 /* a block, accessed, inner shareable, memory type 4 */

/* Types 0 to 5: nGnRnE, nGnRE, GRE, not cached, write back, write through. */
#define MEMORY_TYPES 0x0000aaff440c0400ull

/* 48 bits of address on both sides, pages of 4 KiB, tables in shareable write-back memory, 16 bits of ASID. */
#define TRANSLATION (16ull | 1ull << 8 | 1ull << 10 | 3ull << 12 | 16ull << 16 | \
	 1ull << 24 | 1ull << 26 | 3ull << 28 | 2ull << 30 | 1ull << 36)

#define SYSTEM_ON 0x1005ull             /* translation, data cache, instruction cache */

static uint64_t low[2][512] __attribute__((aligned(4096)));
static uint64_t high[2][512] __attribute__((aligned(4096))), window[2][512] __attribute__((aligned(4096)));

static void put(uint64_t tables[2][512], uint64_t virtual, uint64_t gigabyte)
{
	tables[0][virtual >> 39 & 511] = (uint64_t)(uintptr_t)tables[1] | TABLE;
	tables[1][virtual >> 30 & 511] = gigabyte;
}

/* A kernel is much smaller than a gigabyte, so it lies in one or two. */
static void map_kernel(const struct kb_layout *layout)
{
	uint64_t first = layout->kernel_virtual / KB_GIGAPAGE, bytes = layout->kernel_end - layout->kernel;

	for (uint64_t done = 0; done < bytes; done += KB_MEGAPAGE) {
		uint64_t at = layout->kernel_virtual + done, *table = window[at / KB_GIGAPAGE != first];

		table[at / KB_MEGAPAGE % 512] = (layout->kernel + done) / KB_MEGAPAGE * KB_MEGAPAGE | NORMAL;
		put(high, at, (uint64_t)(uintptr_t)table | TABLE);
	}
}

void kb_clean(uint64_t from, uint64_t bytes)
{
	uint64_t sizes, line;

	__asm__ volatile("mrs %0, ctr_el0" : "=r"(sizes));
	line = 4ull << (sizes >> 16 & 15);
	for (uint64_t at = from / line * line; at < from + bytes; at += line)
		__asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb sy" : : : "memory");
}

void kb_enter(const struct kb_layout *layout, uint64_t processor)
{
	uint64_t sizes, system, here = (uint64_t)(uintptr_t)low;

	(void)processor;
	put(low, here, here / KB_GIGAPAGE * KB_GIGAPAGE | NORMAL);
	map_kernel(layout);
	kb_clean((uint64_t)(uintptr_t)low, sizeof low);
	kb_clean((uint64_t)(uintptr_t)high, sizeof high);
	kb_clean((uint64_t)(uintptr_t)window, sizeof window);
	__asm__ volatile("mrs %0, id_aa64mmfr0_el1\n\tmrs %1, sctlr_el1" : "=r"(sizes), "=r"(system));
	__asm__ volatile("msr mair_el1, %0\n\tmsr tcr_el1, %1\n\tmsr ttbr0_el1, %2\n\tmsr ttbr1_el1, %3\n\tdsb sy\n\tisb\n\t"
	                 "tlbi vmalle1\n\tdsb sy\n\tic iallu\n\tdsb sy\n\tisb\n\tmsr sctlr_el1, %4\n\tisb"
	                 : : "r"(MEMORY_TYPES), "r"(TRANSLATION | (sizes & 7) << 32), "r"(low), "r"(high), "r"(system | SYSTEM_ON) : "memory");

	register uint64_t x0 __asm__("x0") = layout->user, x1 __asm__("x1") = layout->user_end, x2 __asm__("x2") = layout->user_offset;
	register uint64_t x3 __asm__("x3") = layout->user_entry, x4 __asm__("x4") = layout->tree, x5 __asm__("x5") = layout->tree_bytes;

	__asm__ volatile("br %0" : : "r"(layout->kernel_entry), "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	__builtin_unreachable();
}
