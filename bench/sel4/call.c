/*
 * Call and reply: a client and a server, the way both go in the kernel's fast path if the server has at least the client's priority,
 * the message at most four words, and, with MCS, no scheduling context of its own.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "message to a server and its reply (with MCS a passive server)", .per = "round-trip", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and two switches a round trip", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { { "words", "length of both messages; above 4 with ipcbuf=registered", KB_NUMBER, "0;1,4,10", 0, 120, 0 },
		KB_SEL4_PARTNER("server"), KB_SEL4_PAIR },
);

static void choose(struct kb_root *root)
{
	kb_partner_priority(root, "server");
}

static void setup(struct kb_root *root)
{
	uint64_t words = kb_param_number(&root->run, "words");

	if (words > 4 && !root->registered)
		kb_unfit("words above 4 travel in the IPC buffer: ipcbuf=registered");
	root->word = seL4_MessageInfo_new(0, 0, 0, words).words[0];
}

static void first_message(struct kb_root *root)
{
	if (KB_MCS)
		kb_sel4_ready_recv(root->ready, root->endpoint, root->reply);
	else
		(void)kb_bare_recv(root->endpoint, root->reply);
}

KB_SEL4_LOW_WAYS(client, seL4_CPtr endpoint = root->endpoint; seL4_Word word = root->word, (void)kb_bare_call(endpoint, word), (void)0)
KB_SEL4_HIGH(server, seL4_CPtr endpoint = root->endpoint; seL4_CPtr reply = root->reply; seL4_Word word = root->word,
	first_message(root), (void)kb_bare_reply_recv(endpoint, word, reply, 0))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .passive = true, .choose = choose, .setup = setup, KB_SEL4_WAYS(client, server));
