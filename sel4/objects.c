/*
 * Objects, all made before the first test: slots from the empty ones of the boot information, memory from one untyped. Only the
 * smallest untyped that is large enough is tried: each that fails would put a line of the kernel into the log.
 */
#include "root.h"

#define UNTYPED_BITS 19u                /* all objects of the largest timed loop need less */

static seL4_CPtr smallest(const seL4_BootInfo *info, seL4_Word bits, seL4_CPtr except)
{
	seL4_Word best_bits = 64;
	seL4_CPtr best = 0;

	for (seL4_Word i = 0; i < info->untyped.end - info->untyped.start; i++) {
		const seL4_UntypedDesc *untyped = &info->untypedList[i];
		seL4_CPtr slot = info->untyped.start + i;

		if (!untyped->isDevice && untyped->sizeBits >= bits && untyped->sizeBits < best_bits && slot != except) {
			best = slot;
			best_bits = untyped->sizeBits;
		}
	}
	return best;
}

void kb_objects_open(struct kb_root *root)
{
	root->next_slot = root->info->empty.start;
	root->untyped = smallest(root->info, UNTYPED_BITS, 0);
	if (!root->untyped)
		kb_unfit("no untyped memory of 512 KiB or more");
}

seL4_CPtr kb_slot(struct kb_root *root)
{
	if (root->next_slot >= root->info->empty.end)
		kb_unfit("no empty capability slot is left");
	return root->next_slot++;
}

static seL4_CPtr retype(struct kb_root *root, seL4_CPtr untyped, seL4_Word type, seL4_Word bits)
{
	seL4_CPtr slot = kb_slot(root);

	KB_MUST(seL4_Untyped_Retype(untyped, type, bits, seL4_CapInitThreadCNode, 0, 0, slot, 1));
	return slot;
}

seL4_CPtr kb_object(struct kb_root *root, seL4_Word type, seL4_Word bits)
{
	return retype(root, root->untyped, type, bits);
}

seL4_CPtr kb_badged(struct kb_root *root, seL4_CPtr of, seL4_Word badge)
{
	seL4_CPtr slot = kb_slot(root);

	KB_MUST(seL4_CNode_Mint(seL4_CapInitThreadCNode, slot, seL4_WordBits, seL4_CapInitThreadCNode, of, seL4_WordBits,
	                        seL4_AllRights, badge));
	return slot;
}

/* A table that is there already is no failure: the neighbourhood of the image has some. */
static void map_table(struct kb_root *root, seL4_Word address, unsigned level)
{
	int error = kb_table_map(level, kb_object(root, kb_table_object(level), 0), address);

	if (error && error != seL4_DeleteFirst)
		KB_MUST(error);
}

void kb_tables_for(struct kb_root *root, seL4_Word address)
{
	for (unsigned level = 0; level < KB_TABLE_LEVELS; level++)
		map_table(root, address, level);
}

/* One table after the other, as long as one is missing: a table of small pages would be in the way. */
seL4_CPtr kb_large_page(struct kb_root *root, seL4_Word address)
{
	seL4_CPtr untyped = smallest(root->info, seL4_LargePageBits, root->untyped), page;
	int error;

	if (!untyped)
		kb_unfit("untyped memory for a large page");
	page = retype(root, untyped, KB_LARGE_PAGE_OBJECT, seL4_LargePageBits);
	error = kb_page_map(page, address, seL4_AllRights);
	for (unsigned level = 0; level + 1 < KB_TABLE_LEVELS && error == seL4_FailedLookup; level++) {
		map_table(root, address, level);
		error = kb_page_map(page, address, seL4_AllRights);
	}
	KB_MUST(error);
	return page;
}
