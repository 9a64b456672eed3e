/*
 * One test, and the order of tests. What runs between two tests is what the next one finds in the core, so it is short, the same
 * each time, and compiled without optimisation (the build does that for this file alone): optimised, it would be other code for
 * another configuration. Its few variables are kept in registers by hand for the same reason.
 */
#include "timed_loop.h"

#define REGISTERS (sizeof(seL4_UserContext) / sizeof(seL4_Word))

/* What Low or the guard reported: the notification's word is 0 when Low is done. */
static void wait_for_low(struct kb_root *root)
{
	seL4_Word badge = 0;

	seL4_Wait(root->done, &badge);
	if (badge)
		kb_faulted(root);
}

/* A server of MCS gives up its scheduling context once it waits: the caller then lends it its own. Low, started but not yet run,
   stands aside: to a server of no higher priority its first call came before that, which then had nothing to run on. */
static void make_passive(struct kb_root *root)
{
	KB_MUST(seL4_TCB_Suspend(root->party[KB_LOW].tcb));
	seL4_Wait(root->ready, 0);
	KB_MUST(kb_sel4_unbind(root->party[KB_HIGH].context));
	KB_MUST(seL4_TCB_Resume(root->party[KB_LOW].tcb));
}

uint64_t kb_flow_test(struct kb_root *root, uint64_t n)
{
	register seL4_CPtr low = root->party[KB_LOW].tcb, high = root->party[KB_HIGH].tcb;
	register const struct kb_timed_loop *loop = root->loop;

	root->n = n;
	KB_MUST(seL4_TCB_WriteRegisters(low, 0, 0, REGISTERS, &root->party[KB_LOW].registers));
	KB_MUST(seL4_TCB_WriteRegisters(high, 0, 0, REGISTERS, &root->party[KB_HIGH].registers));
	KB_MUST(seL4_TCB_Resume(low));
	KB_MUST(seL4_TCB_Resume(high));
	if (root->passive)
		make_passive(root);
	wait_for_low(root);
	KB_MUST(seL4_TCB_Suspend(high));
	KB_MUST(seL4_TCB_Suspend(low));
	if (root->passive)
		KB_MUST(kb_sel4_bind(root->party[KB_HIGH].context, high));
	if (loop->again)
		loop->again(root);
	return root->ticks;
}

void kb_flow_kanata(struct kb_root *root)
{
	register uint64_t groups = root->n_groups, tests = root->group_size, n = root->init_test_size;

	for (register uint64_t j = 0; j < groups; j++) {
		for (register uint64_t k = 0; k < tests; k++) {
			kb_table[k * groups + j] = kb_flow_test(root, n);
			kb_starts[k * groups + j] = root->start;
		}
		n += root->delta;
	}
}
