/* Loops that belong to no timed loop: what is left of a test without its operation. */
#include "timed_loop.h"

void kb_loop_done(struct kb_root *root)
{
	kb_bare_signal(root->done);
	for (;;)
		kb_bare_wait(root->parked);
}

void kb_loop_parked(struct kb_root *root)
{
	for (;;)
		kb_bare_wait(root->parked);
}

void kb_loop_empty(struct kb_root *root)
{
	KB_SEL4_TIMED(root, kb_clobber());
	kb_loop_done(root);
}

/* What two readings take: both of one thread, and with the store between them that the partner makes. */
void kb_loop_overhead(struct kb_root *root)
{
	KB_SEL4_SINGLE(root, kb_clobber());
	kb_loop_done(root);
}

void kb_loop_overhead_back(struct kb_root *root)
{
	KB_SEL4_BACK(root, root->stamp = kb_sel4_clock());
	kb_loop_done(root);
}
