/* Into the kernel on riscv64: gigapages for the loader and for the kernel's window, and counters that user space may read. */
#include "load.h"

#define LEAF 0xcfull                    /* valid, readable, writable, executable, accessed, dirty */
#define SV39 (8ull << 60)
#define COUNTERS 7ul                    /* scounteren: cycle, time, instret. The kernel never writes it */

static uint64_t table[512] __attribute__((aligned(4096)));

static void map(uint64_t virtual, uint64_t physical)
{
	table[virtual / KB_GIGAPAGE % 512] = physical / KB_GIGAPAGE * KB_GIGAPAGE / 4096 << 10 | LEAF;
}

void kb_enter(const struct kb_layout *layout, uint64_t processor)
{
	for (uint64_t at = 0; at < 4 * KB_GIGAPAGE; at += KB_GIGAPAGE)
		map(at, at);
	map(layout->kernel_virtual, layout->kernel);
	map(layout->kernel_virtual + (layout->kernel_end - layout->kernel - 1), layout->kernel_end - 1);

	register uint64_t a0 __asm__("a0") = layout->user, a1 __asm__("a1") = layout->user_end, a2 __asm__("a2") = layout->user_offset;
	register uint64_t a3 __asm__("a3") = layout->user_entry, a4 __asm__("a4") = layout->tree, a5 __asm__("a5") = layout->tree_bytes;
	register uint64_t a6 __asm__("a6") = processor, a7 __asm__("a7") = 0;

	__asm__ volatile("csrw scounteren, %0\n\tsfence.vma\n\tcsrw satp, %1\n\tsfence.vma\n\tfence.i\n\tjr %2"
	                 : : "r"(COUNTERS), "r"(SV39 | (uint64_t)(uintptr_t)table / 4096), "r"(layout->kernel_entry),
	                 "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(a7) : "memory");
	__builtin_unreachable();
}
