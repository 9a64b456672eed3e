/*
 * An interrupt, from the program that it stops to a thread that waits for it, in user space both: Low makes a device raise it, and reads
 * the clock until it is stopped; High reads the clock when it wakes, makes the device quiet, acknowledges and waits again.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "interrupt, from the interrupted thread to the one that waits for it", .per = "one-way", .portability = KB_PLATFORM,
	.assumes = "an entry for the interrupt and those of its handler, and two switches", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_SPACE, KB_SEL4_PLAIN },
);

static void setup(struct kb_root *root)
{
	root->object[0] = kb_device_interrupt(root, root->signalled);
}

/* The last reading before the interrupt: where a write takes effect late, it is not the first. */
static void low(struct kb_root *root)
{
	seL4_Word device = root->address;

	KB_SEL4_SAMPLES(root, root->stamp = 0, 0, uint64_t kb_last = kb_sel4_clock(); kb_device_raise(device);
		while (!root->stamp) kb_last = kb_sel4_clock(), root->stamp - kb_last, (void)0);
	kb_loop_done(root);
}

static void high(struct kb_root *root)
{
	seL4_CPtr handler = root->object[0], signalled = root->signalled;
	seL4_Word device = root->address;

	for (;;) {
		kb_bare_wait(signalled);
		root->stamp = kb_sel4_clock();
		kb_device_quiet(device);
		root->wrong |= (seL4_Word)seL4_IRQHandler_Ack(handler);
	}
}

KB_SEL4_TIMED_LOOP(.entries = 3 + KB_DEVICE_CALLS, .switches = 2, .stamped = true, .setup = setup, .low_single = low, .high = high);
