/* An illegal instruction, its handler in another thread, and the reply that lets the thread go on behind that instruction. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "illegal instruction, handled by another thread, and the way back", .per = "fault", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and two switches a fault", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_PARTNER("handler"), KB_SEL4_PAIR },
);

static void choose(struct kb_root *root)
{
	kb_partner_priority(root, "handler");
}

KB_SEL4_LOW_WAYS(low, (void)root, KB_ILLEGAL(), (void)0)

/* The first word of the message is where it happened, and of the answer, where to go on. */
KB_SEL4_HIGH(handler, seL4_CPtr endpoint = root->endpoint; seL4_CPtr reply = root->reply;
	seL4_Word word = seL4_MessageInfo_new(0, 0, 0, 1).words[0]; seL4_Word at, at = kb_first_fault(root, seL4_Fault_UserException),
	at = kb_bare_reply_recv(endpoint, word, reply, at + KB_ILLEGAL_BYTES))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .faults = true, .choose = choose, KB_SEL4_WAYS(low, handler));
