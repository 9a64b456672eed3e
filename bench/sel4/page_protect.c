/* Takes the right to write away from a mapped page of 4 KiB, and gives it back: seL4 does both by mapping it again. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "make a mapped page of 4 KiB read-only, and writable again", .per = "pair", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and no switch; both calls succeed", .bound = KB_KERNEL,
	.params = { KB_SEL4_FPU },
);

static void setup(struct kb_root *root)
{
	root->address = 0x20000000;
	kb_tables_for(root, root->address);
	root->object[0] = kb_object(root, KB_PAGE_OBJECT, 0);
	KB_MUST(kb_page_map(root->object[0], root->address, seL4_AllRights));
}

KB_SEL4_LOW(low, seL4_CPtr page = root->object[0]; seL4_Word address = root->address; int wrong = 0; kb_own_buffer(root, KB_LOW),
	wrong |= kb_page_map(page, address, seL4_CanRead) | kb_page_map(page, address, seL4_AllRights),
	kb_init_buffer(root); KB_SEL4_WRONG(root))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 0, .needs = KB_NEED_BUFFER, .setup = setup, KB_SEL4_LOOPS(low));
