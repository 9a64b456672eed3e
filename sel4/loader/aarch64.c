/*
 * Into the kernel on aarch64, at EL1: identity in TTBR0, the kernel's window in TTBR1, blocks of a gigabyte, and the memory types
 * that the kernel takes for granted. In QEMU; a board also needs its caches cleaned. There is no device tree to hand on: the kernel
 * lies where QEMU put it.
 */
#include "load.h"

#define TABLE 3ull
#define DEVICE 0x401ull                 /* a block, accessed, memory type 0 */
#define NORMAL 0x711ull                 /* a block, accessed, inner shareable, memory type 4 */

/* Types 0 to 5: nGnRnE, nGnRE, GRE, not cached, write back, write through. */
#define MEMORY_TYPES 0x0000aaff440c0400ull

/* 48 bits of address on both sides, pages of 4 KiB, tables in shareable write-back memory, 16 bits of ASID. */
#define TRANSLATION (16ull | 1ull << 8 | 1ull << 10 | 3ull << 12 | 16ull << 16 | \
	 1ull << 24 | 1ull << 26 | 3ull << 28 | 2ull << 30 | 1ull << 36)

#define SYSTEM_ON 0x1005ull             /* translation, data cache, instruction cache */

static uint64_t low[2][512] __attribute__((aligned(4096))), high[2][512] __attribute__((aligned(4096)));

static void map(uint64_t tables[2][512], uint64_t virtual, uint64_t physical, uint64_t kind)
{
	tables[0][virtual >> 39 & 511] = (uint64_t)(uintptr_t)tables[1] | TABLE;
	tables[1][virtual >> 30 & 511] = physical / KB_GIGAPAGE * KB_GIGAPAGE | kind;
}

void kb_enter(const struct kb_layout *layout, uint64_t processor)
{
	uint64_t sizes, system;

	(void)processor;
	map(low, 0, 0, DEVICE);
	map(low, KB_GIGAPAGE, KB_GIGAPAGE, NORMAL);
	map(high, layout->kernel_virtual, layout->kernel, NORMAL);
	__asm__ volatile("mrs %0, id_aa64mmfr0_el1\n\tmrs %1, sctlr_el1" : "=r"(sizes), "=r"(system));
	__asm__ volatile("msr mair_el1, %0\n\tmsr tcr_el1, %1\n\tmsr ttbr0_el1, %2\n\tmsr ttbr1_el1, %3\n\tdsb sy\n\tisb\n\t"
	                 "tlbi vmalle1\n\tdsb sy\n\tic iallu\n\tdsb sy\n\tisb\n\tmsr sctlr_el1, %4\n\tisb"
	                 : : "r"(MEMORY_TYPES), "r"(TRANSLATION | (sizes & 7) << 32), "r"(low), "r"(high), "r"(system | SYSTEM_ON) : "memory");

	register uint64_t x0 __asm__("x0") = layout->user, x1 __asm__("x1") = layout->user_end, x2 __asm__("x2") = layout->user_offset;
	register uint64_t x3 __asm__("x3") = layout->user_entry, x4 __asm__("x4") = 0, x5 __asm__("x5") = 0;

	__asm__ volatile("br %0" : : "r"(layout->kernel_entry), "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	__builtin_unreachable();
}
