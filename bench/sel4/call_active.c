/* Call and reply with a server that keeps a scheduling context of its own: with MCS that is not for the kernel's fast path. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "message to a server with a scheduling context of its own, and its reply", .per = "round-trip",
	.portability = KB_PLATFORM, .assumes = "two kernel entries and two switches a round trip", .bound = KB_KERNEL,
	.suite = KB_STANDARD, .params = { KB_SEL4_PAIR },
);

KB_SEL4_LOW_WAYS(client, seL4_CPtr endpoint = root->endpoint, (void)kb_bare_call(endpoint, 0), (void)0)
KB_SEL4_HIGH(server, seL4_CPtr endpoint = root->endpoint; seL4_CPtr reply = root->reply, (void)kb_bare_recv(endpoint, reply),
	(void)kb_bare_reply_recv(endpoint, 0, reply, 0))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .needs = KB_NEED_MCS, KB_SEL4_WAYS(client, server));
