/* Timed loops with a mistake each, for the tests of what notices it: one file, chosen by parameter. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "a timed loop that is wrong", .per = "iteration", .portability = KB_PLATFORM, .bound = KB_KERNEL,
	.params = { { "how", "what is wrong", KB_CHOICE, "elsewhere;nowhere,silent,slot,tables,buffer,table,endless", 0, 0,
		"elsewhere,nowhere,silent,slot,tables,buffer,table,endless" } },
);

static bool is(const char *how)
{
	return kb_param_is(&kb_root.run, "how", how);
}

/* Its setup is what is wrong. */
static void setup(struct kb_root *root)
{
	root->address = 0x20000000;
	if (is("buffer"))
		seL4_SetIPCBuffer(0);
	if (is("table"))
		KB_MUST(kb_page_map(kb_object(root, KB_PAGE_OBJECT, 0), root->address, seL4_AllRights));
	if (is("buffer"))
		(void)kb_object(root, seL4_EndpointObject, 0);
	root->object[0] = root->parked;
	/* Of what nobody has: the page's capability is that of a notification. */
	if (is("tables"))
		root->wrong |= (seL4_Word)kb_page_map(root->object[0], root->address, seL4_AllRights);
}

/* elsewhere: nobody waits there, so High never wakes and the timed loop is a dear system call. */
static void low(struct kb_root *root)
{
	seL4_CPtr to = is("elsewhere") ? root->object[0] : is("slot") ? 1999 : root->signalled;

	KB_SEL4_TIMED(root, kb_bare_signal(to));
	if (is("silent"))
		kb_bare_wait(root->object[0]);
	while (is("endless"))
		seL4_Yield();
	kb_loop_done(root);
}

static void high(struct kb_root *root)
{
	/* Nowhere to store the words of its message: through libsel4 that is a fault at each wake-up. */
	if (is("nowhere"))
		seL4_SetIPCBuffer(0);
	for (;;) {
		if (is("nowhere"))
			seL4_Wait(root->signalled, 0);
		else
			kb_bare_wait(root->signalled);
	}
}

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .setup = setup, .low = low, .high = high);
