/*
 * Tables and pages of 4 KiB in the free part of the address space, one call each; what a call answered, ORed. Slots are in rows.
 */
#ifndef KB_SEL4_PAGES_H
#define KB_SEL4_PAGES_H

#include "root.h"

#define KB_PAGE ((seL4_Word)1 << seL4_PageBits)
#define KB_PAGES_PER_TABLE 512u

static inline seL4_Word kb_make_tables(seL4_CPtr memory, seL4_CPtr slot, seL4_Word count)
{
	seL4_Word wrong = 0, address = KB_FREE_ADDRESS;

	for (unsigned level = 0; level < KB_TABLE_LEVELS; level++) {
		bool last = level + 1 == KB_TABLE_LEVELS;

		for (seL4_Word left = last ? count : 1; left > 0; left--, slot++, address += last ? KB_PAGES_PER_TABLE * KB_PAGE : 0) {
			wrong |= (seL4_Word)seL4_Untyped_Retype(memory, kb_table_object(level), 0, seL4_CapInitThreadCNode, 0, 0, slot, 1);
			wrong |= (seL4_Word)kb_table_map(seL4_CapInitThreadVSpace, level, slot, address);
		}
	}
	return wrong;
}

static inline seL4_Word kb_make_pages(seL4_CPtr memory, seL4_CPtr slot, seL4_Word count)
{
	seL4_Word wrong = 0;

	do {
		wrong |= (seL4_Word)seL4_Untyped_Retype(memory, KB_PAGE_OBJECT, 0, seL4_CapInitThreadCNode, 0, 0, slot++, 1);
	} while (--count);
	return wrong;
}

static inline seL4_Word kb_map_pages(seL4_CPtr page, seL4_Word count, seL4_CapRights_t rights)
{
	seL4_Word wrong = 0, address = KB_FREE_ADDRESS;

	do {
		wrong |= (seL4_Word)kb_page_map(page++, address, rights);
		address += KB_PAGE;
	} while (--count);
	return wrong;
}

static inline seL4_Word kb_unmap_pages(seL4_CPtr page, seL4_Word count)
{
	seL4_Word wrong = 0;

	do {
		wrong |= (seL4_Word)kb_page_unmap(page++);
	} while (--count);
	return wrong;
}

/* The kernel clears taken back memory when the first object is made of it: that is not part of a phase. */
static inline seL4_Word kb_clear_memory(seL4_CPtr memory, seL4_CPtr spare)
{
	return (seL4_Word)seL4_Untyped_Retype(memory, seL4_EndpointObject, 0, seL4_CapInitThreadCNode, 0, 0, spare, 1);
}

static inline seL4_Word kb_take_memory_back(seL4_CPtr memory, seL4_CPtr spare)
{
	return (seL4_Word)seL4_CNode_Revoke(seL4_CapInitThreadCNode, memory, seL4_WordBits) | kb_clear_memory(memory, spare);
}

#endif
