/* What puts a kernel and the root server into memory where QEMU does not: riscv64 and aarch64. Runs before either, on one core. */
#ifndef KB_SEL4_LOAD_H
#define KB_SEL4_LOAD_H

#include "types.h"

/* Where everything lies; all addresses are physical but the ones that say otherwise. */
struct kb_layout {
	uint64_t kernel, kernel_end, kernel_virtual, kernel_entry;      /* entry: virtual */
	uint64_t user, user_end, user_entry, user_offset;               /* entry: virtual; offset: physical minus virtual */
	uint64_t tree, tree_bytes;                                      /* device tree; 0: none */
	bool told;                                                      /* the firmware passed one */
};

#define KB_MEGAPAGE (2ull << 20)
#define KB_GIGAPAGE (1ull << 30)

/* From the start code: the boot processor's number and the device tree, as the firmware passed them; what is no tree is none, and then the
   number is not one either. Does not return. */
void kb_load(uint64_t processor, uint64_t tree);

/* Memory that is written without caches, before and behind it: no cache has anything of it then. One an architecture. */
void kb_clean(uint64_t from, uint64_t bytes);

/* Turns translation on for kernel and loader and jumps into the kernel. Does not return; one an architecture. */
void kb_enter(const struct kb_layout *, uint64_t processor) __attribute__((noreturn));

#endif
