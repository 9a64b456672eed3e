/* Copies a capability into an empty slot and deletes the copy. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "copy a capability and delete the copy", .per = "pair", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and no switch; both calls succeed", .bound = KB_KERNEL,
	.params = { KB_SEL4_FPU },
);

static void setup(struct kb_root *root)
{
	root->object[0] = kb_slot(root);
}

static inline int copy_and_delete(seL4_CPtr slot, seL4_CPtr of)
{
	seL4_CPtr node = seL4_CapInitThreadCNode;

	return (int)seL4_CNode_Copy(node, slot, seL4_WordBits, node, of, seL4_WordBits, seL4_AllRights) |
	       (int)seL4_CNode_Delete(node, slot, seL4_WordBits);
}

KB_SEL4_LOW(low, seL4_CPtr slot = root->object[0]; seL4_CPtr of = root->signalled; int wrong = 0; kb_own_buffer(root, KB_LOW),
	wrong |= copy_and_delete(slot, of), kb_init_buffer(root); KB_SEL4_WRONG(root))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 0, .needs = KB_NEED_BUFFER, .setup = setup, KB_SEL4_LOOPS(low));
