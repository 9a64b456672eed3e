/*
 * Call and reply: a client and a server, the way both go in the kernel's fast path if the server has at least the client's priority,
 * the message at most four words, and, with MCS, no scheduling context of its own.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "message to a server and its reply (with MCS a passive server)", .per = "round-trip", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and two switches a round trip", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { { "words", "length of both messages; above 4 with ipcbuf=registered", KB_NUMBER, "0;1,4,10", 0, 120, 0 },
		{ "server", "the server's priority against the client's", KB_CHOICE, "higher;same,lower", 0, 0, "higher,same,lower" },
		KB_SEL4_PLAIN },
);

static void choose(struct kb_root *root)
{
	if (kb_param_is(&root->run, "server", "same"))
		root->high_priority = KB_PRIORITY_LOW;
	if (kb_param_is(&root->run, "server", "lower"))
		root->high_priority = KB_PRIORITY_LOW - 1;
}

static void setup(struct kb_root *root)
{
	uint64_t words = kb_param_number(&root->run, "words");

	if (words > 4 && !root->registered)
		kb_unfit("words above 4 travel in the IPC buffer: ipcbuf=registered");
	root->word = seL4_MessageInfo_new(0, 0, 0, words).words[0];
}

KB_SEL4_LOW(client, seL4_CPtr endpoint = root->endpoint; seL4_Word word = root->word, (void)kb_bare_call(endpoint, word), (void)0)

static void server(struct kb_root *root)
{
	seL4_CPtr endpoint = root->endpoint, reply = root->reply;
	seL4_Word word = root->word;

	if (KB_MCS)
		kb_sel4_ready_recv(root->ready, endpoint, reply);
	else
		(void)kb_bare_recv(endpoint, reply);
	for (;;)
		(void)kb_bare_reply_recv(endpoint, word, reply, 0);
}

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .passive = true, .choose = choose, .setup = setup, .low = client, .low_single = client_single, .high = server);
