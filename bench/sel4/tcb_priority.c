/* Sets the priority of a waiting thread, or one's own, to what it is: the second makes the kernel choose the next thread. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "set the priority of a thread to what it is", .per = "call", .portability = KB_PLATFORM,
	.assumes = "one kernel entry, and a choice of the next thread for one's own; the call succeeds", .bound = KB_KERNEL,
	.params = { { "of", "whose priority", KB_CHOICE, "waiting;self", 0, 0, "waiting,self" }, KB_SEL4_FPU },
);

static void choose(struct kb_root *root)
{
	root->switches = kb_param_is(&root->run, "of", "self");
}

static void setup(struct kb_root *root)
{
	const struct kb_party *party = &root->party[root->switches ? KB_LOW : KB_HIGH];

	root->object[0] = party->tcb;
	root->word = party->priority;
}

KB_SEL4_LOW(low, seL4_CPtr tcb = root->object[0]; seL4_Word priority = root->word; int wrong = 0; kb_own_buffer(root, KB_LOW),
	wrong |= (int)seL4_TCB_SetPriority(tcb, seL4_CapInitThreadTCB, priority), kb_init_buffer(root); KB_SEL4_WRONG(root))

KB_SEL4_TIMED_LOOP(.entries = 1, .switches = 0, .needs = KB_NEED_BUFFER, .choose = choose, .setup = setup, KB_SEL4_LOOPS(low));
