/* An illegal instruction, its handler in another thread, and the reply that lets the thread go on behind that instruction. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "illegal instruction, handled by another thread, and the way back", .per = "fault", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and two switches a fault", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_PLAIN },
);

KB_SEL4_LOW(low, (void)root, KB_ILLEGAL(), (void)0)

/* The first word of the message is where it happened, and of the answer, where to go on. */
static void handler(struct kb_root *root)
{
	seL4_CPtr endpoint = root->endpoint, reply = root->reply;
	seL4_Word word = seL4_MessageInfo_new(0, 0, 0, 1).words[0], at = kb_first_fault(root, seL4_Fault_UserException);

	for (;;)
		at = kb_bare_reply_recv(endpoint, word, reply, at + KB_ILLEGAL_BYTES);
}

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .faults = true, .low = low, .low_single = low_single, .high = handler);
