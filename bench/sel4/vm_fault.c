/*
 * A page fault as seL4 has it: Low touches a page that is not there, the kernel sends a message to High, which maps the page and
 * answers; Low goes on, and takes the page away again for the next turn.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "page fault; another thread maps the page, and unmaps it again", .per = "fault",
	.assumes = "four kernel entries and two switches a fault; all calls succeed", .bound = KB_KERNEL,
	.portability = KB_PLATFORM, .params = { KB_SEL4_FPU },
);

static void setup(struct kb_root *root)
{
	root->address = 0x20000000;
	kb_tables_for(root, root->address);
	root->object[0] = kb_object(root, KB_PAGE_OBJECT, 0);
}

static inline int touch_and_unmap(seL4_Word address, seL4_CPtr page)
{
	*(volatile uint64_t *)address = 1;
	return kb_page_unmap(page);
}

KB_SEL4_LOW(low, seL4_CPtr page = root->object[0]; seL4_Word address = root->address; int wrong = 0,
	wrong |= touch_and_unmap(address, page), kb_init_buffer(root); KB_SEL4_WRONG(root))

static void handler(struct kb_root *root)
{
	seL4_CPtr endpoint = root->endpoint, reply = root->reply, page = root->object[0];
	seL4_Word address = root->address;

	kb_own_buffer(root, KB_HIGH);
	(void)kb_first_fault(root, seL4_Fault_VMFault);
	for (;;) {
		root->wrong |= (seL4_Word)kb_page_map(page, address, seL4_AllRights);
		(void)kb_bare_reply_recv(endpoint, 0, reply, 0);
	}
}

KB_SEL4_TIMED_LOOP(.entries = 4, .switches = 2, .faults = true, .needs = KB_NEED_BOTH_BUFFERS, .setup = setup, KB_SEL4_LOOPS(low),
	.high = handler);
