/*
 * Objects, all made before the first test: slots from the empty ones of the boot information, memory from one untyped. Only the
 * smallest untyped that is large enough is tried: each that fails would put a line of the kernel into the log.
 */
#include "root.h"

#define UNTYPED_BITS 19u                /* all objects of the largest timed loop need less */

/* Each is taken once: what is left of it is not known. */
static seL4_CPtr take_smallest(struct kb_root *root, seL4_Word bits)
{
	static bool taken[CONFIG_MAX_NUM_BOOTINFO_UNTYPED_CAPS];
	const seL4_UntypedDesc *list = root->info->untypedList, *best = 0;

	for (seL4_Word i = 0; i < root->info->untyped.end - root->info->untyped.start; i++) {
		if (!list[i].isDevice && list[i].sizeBits >= bits && !taken[i] && (!best || list[i].sizeBits < best->sizeBits))
			best = &list[i];
	}
	if (!best)
		kb_unfit("more or larger untyped memory");
	taken[best - list] = true;
	return root->info->untyped.start + (seL4_CPtr)(best - list);
}

void kb_objects_open(struct kb_root *root)
{
	root->next_slot = root->info->empty.start;
	root->untyped = take_smallest(root, UNTYPED_BITS);
}

seL4_CPtr kb_slot_row(struct kb_root *root, seL4_Word count)
{
	seL4_CPtr first = root->next_slot;

	if (root->info->empty.end - first < count)
		kb_unfit("more empty capability slots: ROOT_CNODE_SIZE_BITS");
	root->next_slot += count;
	return first;
}

seL4_CPtr kb_slot(struct kb_root *root)
{
	return kb_slot_row(root, 1);
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

seL4_CPtr kb_memory(struct kb_root *root, seL4_Word bits)
{
	return retype(root, take_smallest(root, bits), seL4_UntypedObject, bits);
}

seL4_CPtr kb_badged(struct kb_root *root, seL4_CPtr of, seL4_Word badge)
{
	seL4_CPtr slot = kb_slot(root);

	KB_MUST(seL4_CNode_Mint(seL4_CapInitThreadCNode, slot, seL4_WordBits, seL4_CapInitThreadCNode, of, seL4_WordBits,
	                        seL4_AllRights, badge));
	return slot;
}

/* A table that is there already is no failure: the neighbourhood of the image has some. */
static void map_table(struct kb_root *root, seL4_CPtr space, seL4_Word address, unsigned level)
{
	int error = kb_table_map(space, level, kb_object(root, kb_table_object(level), 0), address);

	if (error && error != seL4_DeleteFirst)
		KB_MUST(error);
}

void kb_tables_for(struct kb_root *root, seL4_Word address)
{
	for (unsigned level = 0; level < KB_TABLE_LEVELS; level++)
		map_table(root, seL4_CapInitThreadVSpace, address, level);
}

/* One table after the other, as long as one is missing: for a large page a table of small ones would be in the way. */
static void map_page(struct kb_root *root, seL4_CPtr space, seL4_CPtr page, seL4_Word address, unsigned levels)
{
	int error = kb_page_map_in(space, page, address, seL4_AllRights);

	for (unsigned level = 0; level < levels && error == seL4_FailedLookup; level++) {
		map_table(root, space, address, level);
		error = kb_page_map_in(space, page, address, seL4_AllRights);
	}
	KB_MUST(error);
}

seL4_CPtr kb_large_page(struct kb_root *root, seL4_Word address)
{
	seL4_CPtr page = retype(root, kb_memory(root, seL4_LargePageBits), KB_LARGE_PAGE_OBJECT, seL4_LargePageBits);

	map_page(root, seL4_CapInitThreadVSpace, page, address, KB_TABLE_LEVELS - 1);
	return page;
}

/* The kernel has a capability for each page of the image. */
extern const unsigned char kb_image_start[];

seL4_CPtr kb_frame_of(const struct kb_root *root, const void *page)
{
	return root->info->userImageFrames.start + ((uintptr_t)page - (uintptr_t)kb_image_start) / 4096;
}

seL4_CPtr kb_copy(struct kb_root *root, seL4_CPtr of)
{
	seL4_CPtr slot = kb_slot(root);

	KB_MUST(seL4_CNode_Copy(seL4_CapInitThreadCNode, slot, seL4_WordBits, seL4_CapInitThreadCNode, of, seL4_WordBits, seL4_AllRights));
	return slot;
}

void kb_map(struct kb_root *root, seL4_CPtr space, seL4_CPtr page, seL4_Word address)
{
	map_page(root, space, page, address, KB_TABLE_LEVELS);
}

/* A capability maps its page once: each is copied. */
seL4_CPtr kb_space(struct kb_root *root)
{
	seL4_CPtr space = kb_object(root, KB_SPACE_OBJECT, 0);
	seL4_Word address = (seL4_Word)kb_image_start;

	KB_MUST(kb_space_assign(space));
	for (seL4_CPtr frame = root->info->userImageFrames.start; frame < root->info->userImageFrames.end; frame++) {
		kb_map(root, space, kb_copy(root, frame), address);
		address += 4096;
	}
	return space;
}
