/*
 * Memory for composed code: never writable and executable at once. A function has pages of its own, so that forgetting
 * one touches no other. For translated programs; in this tree only tests map code.
 */
#ifndef KB_CODE_MEMORY_H
#define KB_CODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KB_CODE_ALIGN 64        /* bytes: a cache line of every target */

struct kb_code_options {
	size_t align;           /* of the entry: a power of two up to the page; 0: KB_CODE_ALIGN */
	size_t offset;          /* added to that multiple, below align; whole instructions */
	size_t place;           /* which of the multiples in a page: were all at its start, they would meet in one set of a cache */
	size_t room;            /* bytes for which the pages are large enough, at the least */
	bool threads;           /* other threads will call it: every core is told (membarrier) */
	bool two_mappings;      /* the second way below, also where the first would do */
};

/* One function in place. */
struct kb_mapped_code {
	void *entry;
	size_t bytes;
	void *pages;            /* the mapping, readable and executable */
	size_t page_bytes;
	size_t place;           /* as in the options */
	bool two_mappings;      /* it was filled through a second mapping of a memfd */
};

/*
 * Copies the code, makes it executable and touches its pages. An anonymous mapping that is written, then made executable;
 * where that is refused (PR_SET_MDWE, SELinux execmem) a memfd with a writable and an executable mapping, the first of
 * which goes at once. -EINVAL: no bytes, or an alignment or offset that cannot be; -EACCES or -EPERM: the system allows
 * neither way; -ENOMEM. options may be NULL.
 */
int kb_code_map(struct kb_mapped_code *, const void *bytes, size_t count, const struct kb_code_options *);

/* Pages of the one, with what is in them, to the place of those of the other, which are as many. 0 or -errno. */
int kb_code_move(struct kb_mapped_code *, const struct kb_mapped_code *to);

/* Unmaps it; calling the entry afterwards is a fault. */
void kb_code_forget(struct kb_mapped_code *);

#endif
