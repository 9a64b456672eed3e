/* Sets the priority of a waiting thread to what it is. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "set the priority of a waiting thread", .per = "call", .portability = KB_PLATFORM,
	.assumes = "one kernel entry and no switch; the call succeeds", .bound = KB_KERNEL,
	.params = { KB_SEL4_FPU },
);

KB_SEL4_LOW(low, seL4_CPtr tcb = root->party[KB_HIGH].tcb; int wrong = 0; kb_own_buffer(root, KB_LOW),
	wrong |= (int)seL4_TCB_SetPriority(tcb, seL4_CapInitThreadTCB, KB_PRIORITY_HIGH), kb_init_buffer(root); KB_SEL4_WRONG(root))

KB_SEL4_TIMED_LOOP(.entries = 1, .switches = 0, .needs = KB_NEED_BUFFER, .low = low, .low_single = low_single);
