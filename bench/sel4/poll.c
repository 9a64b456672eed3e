/* Asks a notification that was not signalled, and goes on. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "poll of a notification that is not signalled", .per = "poll", .portability = KB_PLATFORM,
	.assumes = "one kernel entry and no switch; no signal is pending", .bound = KB_KERNEL,
	.params = { KB_SEL4_PLAIN },
);

KB_SEL4_LOW(low, seL4_CPtr signalled = root->signalled; seL4_Word wrong = 0, wrong |= kb_bare_poll(signalled), KB_SEL4_WRONG(root))

KB_SEL4_TIMED_LOOP(.entries = 1, .switches = 0, KB_SEL4_LOOPS(low));
