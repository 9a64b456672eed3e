/* Messages one way: High waits for each, is switched to, and waits again. The kernel has no fast path for this. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "message to a waiting thread of higher priority, without a reply", .per = "iteration",
	.assumes = "two kernel entries and two switches per iteration", .bound = KB_KERNEL, .portability = KB_PLATFORM,
	.params = { { "words", "length of the message; above 4 with ipcbuf=registered", KB_NUMBER, "0;4,10", 0, 120, 0 }, KB_SEL4_PAIR },
);

static void setup(struct kb_root *root)
{
	uint64_t words = kb_param_number(&root->run, "words");

	if (words > 4 && !root->registered)
		kb_unfit("words above 4 travel in the IPC buffer: ipcbuf=registered");
	root->word = seL4_MessageInfo_new(0, 0, 0, words).words[0];
}

KB_SEL4_LOW_WAYS(low, seL4_CPtr endpoint = root->endpoint; seL4_Word word = root->word, kb_bare_send(endpoint, word), (void)0)
KB_SEL4_HIGH(high, seL4_CPtr endpoint = root->endpoint; seL4_CPtr reply = root->reply, (void)kb_bare_recv(endpoint, reply),
	(void)kb_bare_recv(endpoint, reply))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .setup = setup, KB_SEL4_WAYS(low, high));
