/* Maps and unmaps one page of 4 KiB, whose tables are there. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "map and unmap a page of 4 KiB", .per = "pair", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and no switch; both calls succeed", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_FPU },
);

static void setup(struct kb_root *root)
{
	root->address = 0x20000000;
	kb_tables_for(root, root->address);
	root->object[0] = kb_object(root, KB_PAGE_OBJECT, 0);
}

KB_SEL4_LOW(low, seL4_CPtr page = root->object[0]; seL4_Word address = root->address; int wrong = 0; kb_own_buffer(root, KB_LOW),
	wrong |= kb_page_map(page, address, seL4_AllRights) | kb_page_unmap(page), kb_init_buffer(root); KB_SEL4_WRONG(root))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 0, .needs = KB_NEED_BUFFER, .setup = setup, KB_SEL4_LOOPS(low));
