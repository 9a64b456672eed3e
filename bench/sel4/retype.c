/*
 * Makes an object of untyped memory that has just its size, and takes it back; the memory is cleared. Every so many deletions the
 * kernel looks for interrupts, so that accumulated times are steps on a line.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "retype untyped memory into one object, and revoke it", .per = "pair", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and no switch; both calls succeed", .bound = KB_KERNEL,
	.params = { { "object", "what is made", KB_CHOICE, "notification;page,tcb", 0, 0, "notification,page,tcb" }, KB_SEL4_FPU },
);

static void setup(struct kb_root *root)
{
	seL4_Word bits = seL4_NotificationBits;

	root->word = seL4_NotificationObject;
	if (kb_param_is(&root->run, "object", "page")) {
		root->word = KB_PAGE_OBJECT;
		bits = seL4_PageBits;
	}
	if (kb_param_is(&root->run, "object", "tcb")) {
		root->word = seL4_TCBObject;
		bits = seL4_TCBBits;
	}
	root->object[0] = kb_object(root, seL4_UntypedObject, bits);
	root->object[1] = kb_slot(root);
}

static inline int make_and_revoke(seL4_CPtr untyped, seL4_Word type, seL4_CPtr slot)
{
	seL4_CPtr node = seL4_CapInitThreadCNode;

	return (int)seL4_Untyped_Retype(untyped, type, 0, node, 0, 0, slot, 1) |
	       (int)seL4_CNode_Revoke(node, untyped, seL4_WordBits);
}

KB_SEL4_LOW(low, seL4_CPtr untyped = root->object[0]; seL4_CPtr slot = root->object[1]; seL4_Word type = root->word; int wrong = 0;
	kb_own_buffer(root, KB_LOW), wrong |= make_and_revoke(untyped, type, slot), kb_init_buffer(root); KB_SEL4_WRONG(root))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 0, .needs = KB_NEED_BUFFER, .setup = setup, KB_SEL4_LOOPS(low));
