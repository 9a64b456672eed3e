/*
 * Threads: init's own thread-local variables, and Low, High and the guard, who share init's address space and capabilities. Their
 * registers are prepared once; each test writes them anew.
 */
#include "root.h"
#include "timed_loop.h"

#define STACK_BYTES 8192u
#define CROWD_STACK_BYTES 1024u
#define THREAD_BYTES 512u               /* thread-local variables of libsel4, and what the architecture puts next to them */

/* libsel4 has it in each thread, or once for all. */
LIBSEL4_THREAD_LOCAL seL4_IPCBuffer *__sel4_ipc_buffer;
#ifdef CONFIG_KERNEL_INVOCATION_REPORT_ERROR_IPC
LIBSEL4_THREAD_LOCAL char __sel4_print_error;
#endif

/* Set by the link script: what each thread's variables begin as, how much of it is set, and how much there is. */
extern const unsigned char kb_thread_image[], kb_thread_image_end[], kb_thread_end[];

static unsigned char stacks[KB_PARTIES][STACK_BYTES] __attribute__((aligned(4096)));
static unsigned char buffers[KB_PARTIES][4096] __attribute__((aligned(4096)));
static unsigned char blocks[KB_PARTIES + 1][THREAD_BYTES] __attribute__((aligned(64)));
static unsigned char crowd_stacks[KB_CROWD][CROWD_STACK_BYTES], crowd_blocks[KB_CROWD][THREAD_BYTES] __attribute__((aligned(64)));

static uintptr_t lay_out(unsigned char *block)
{
	size_t set = (size_t)(kb_thread_image_end - kb_thread_image), all = (size_t)(kb_thread_end - kb_thread_image);

	return kb_machine_thread(block, THREAD_BYTES, kb_thread_image, set, all);
}

/* Not inlined: the compiler may read the thread pointer early, and before SetTLSBase it is wrong. */
static __attribute__((noinline)) void set_own_buffer(seL4_IPCBuffer *buffer)
{
	seL4_SetIPCBuffer(buffer);
}

static __attribute__((noinline)) uintptr_t buffer_variable(void)
{
	return (uintptr_t)&__sel4_ipc_buffer;
}

/* A call of one message word works without a buffer. */
void kb_threads_init(struct kb_root *root)
{
	uintptr_t thread = lay_out(blocks[KB_PARTIES]);

	(void)seL4_TCB_SetTLSBase(seL4_CapInitThreadTCB, thread);
	set_own_buffer(root->info->ipcBuffer);
}

/* The pointer of another thread lies in its block where init's lies in init's; where it is not thread-local, init's is everybody's. */
static void point_at(unsigned char *block, void *buffer)
{
	uintptr_t offset = buffer_variable() - (uintptr_t)blocks[KB_PARTIES];

	if (offset < THREAD_BYTES)
		*(void **)(void *)(block + offset) = buffer;
}

void kb_own_buffer(struct kb_root *root, enum kb_party_kind kind)
{
	(void)root;
	set_own_buffer((seL4_IPCBuffer *)(void *)buffers[kind]);
}

void kb_init_buffer(struct kb_root *root)
{
	set_own_buffer(root->info->ipcBuffer);
}

static bool has_buffer(const struct kb_root *root, enum kb_party_kind kind)
{
	if (kind == KB_GUARD)
		return false;
	return root->registered || root->needs & KB_NEED_BOTH_BUFFERS || (root->needs & KB_NEED_BUFFER && kind == KB_LOW);
}

static void make_thread(struct kb_root *root, struct kb_party *party, seL4_CPtr space, void *buffer, bool fpu)
{
	party->tcb = kb_object(root, seL4_TCBObject, 0);
	if (KB_MCS) {
		party->context = kb_object(root, KB_OBJECT_CONTEXT, KB_CONTEXT_BITS);
		KB_MUST(kb_sel4_budget(root->info, party->context));
	}
	KB_MUST(kb_sel4_configure(party->tcb, party->fault, space, (seL4_Word)buffer, buffer ? kb_frame_of(root, buffer) : 0));
	KB_MUST(kb_sel4_schedule(party->tcb, party->priority, party->context, party->fault));
	if (!fpu)
		KB_MUST(kb_sel4_no_fpu(party->tcb));
}

static void make(struct kb_root *root, enum kb_party_kind kind, seL4_Word priority, seL4_CPtr fault)
{
	struct kb_party *party = &root->party[kind];

	*party = (struct kb_party){
		.priority = priority, .fault = fault, .stack = (uintptr_t)(stacks[kind] + STACK_BYTES), .thread = lay_out(blocks[kind]),
	};
	point_at(blocks[kind], buffers[kind]);
	make_thread(root, party, kind == KB_HIGH ? root->space : seL4_CapInitThreadVSpace, has_buffer(root, kind) ? buffers[kind] : 0,
	            kind == KB_LOW ? root->fpu_low : kind == KB_HIGH && root->fpu_high);
}

static void enter(struct kb_root *root, struct kb_party *party, kb_entry *entry)
{
	kb_machine_registers(&party->registers, (void *)entry, root, party->stack, party->thread);
}

/* Of a thread that goes on through all tests. */
static void start(struct kb_root *root, struct kb_party *party, kb_entry *entry)
{
	enter(root, party, entry);
	KB_MUST(seL4_TCB_WriteRegisters(party->tcb, 0, 0, sizeof party->registers / sizeof(seL4_Word), &party->registers));
	KB_MUST(seL4_TCB_Resume(party->tcb));
}

void kb_crowd_start(struct kb_root *root, unsigned count, kb_entry *entry)
{
	for (unsigned i = 0; i < count; i++) {
		struct kb_party party = {
			.priority = root->high_priority, .fault = root->party[KB_HIGH].fault,
			.stack = (uintptr_t)(crowd_stacks[i] + CROWD_STACK_BYTES), .thread = lay_out(crowd_blocks[i]),
		};

		make_thread(root, &party, seL4_CapInitThreadVSpace, 0, root->fpu_high);
		start(root, &party, entry);
	}
}

void kb_threads_enter(struct kb_root *root, kb_entry *low, kb_entry *high)
{
	enter(root, &root->party[KB_LOW], low);
	enter(root, &root->party[KB_HIGH], high ? high : kb_loop_parked);
	root->passive = KB_MCS && high && root->loop->passive;
}

static void note_fault(struct kb_root *root, seL4_Word badge, seL4_MessageInfo_t message)
{
	root->fault.badge = badge;
	root->fault.word[0] = seL4_GetMR(0);
	root->fault.word[1] = seL4_GetMR(1);
	root->fault.label = seL4_MessageInfo_get_label(message);
}

/* Init hears of a fault in place of Low's word that it is done. */
static void tell(struct kb_root *root, seL4_Word badge, seL4_MessageInfo_t message)
{
	note_fault(root, badge, message);
	seL4_Signal(root->guard_says);
}

/* Init cannot hear of its own, so this is the end; unless user mode may not read the counter, and there is another one. */
static void of_init(struct kb_root *root, seL4_MessageInfo_t message)
{
	bool first = !root->clock.begin && root->counter && kb_streq(root->counter, KB_SEL4_CLOCK);

	note_fault(root, KB_FAULT_BADGE + KB_PARTIES, message);
	root->counter = first && root->fault.label == seL4_Fault_UserException ? kb_machine_other_clock() : 0;
	if (!root->counter)
		kb_faulted(root);
	kb_sel4_reply(root->guard_reply);
}

seL4_Word kb_first_fault(struct kb_root *root, seL4_Word kind)
{
	seL4_Word badge = 0;
	seL4_MessageInfo_t message = kb_sel4_recv(root->endpoint, &badge, root->reply);

	if (seL4_MessageInfo_get_label(message) != kind)
		tell(root, KB_FAULT_BADGE + KB_LOW, message);
	return seL4_GetMR(0);
}

/* A fault of a thread would otherwise end in one line of the kernel and in an init that waits for ever. */
static void guard(struct kb_root *root)
{
	seL4_Signal(root->ready);
	for (;;) {
		seL4_Word badge = 0;
		seL4_MessageInfo_t message = kb_sel4_recv(root->fault_endpoint, &badge, root->guard_reply);

		if (badge == KB_FAULT_BADGE + KB_PARTIES)
			of_init(root, message);
		else
			tell(root, badge, message);
	}
}

static void start_guard(struct kb_root *root)
{
	start(root, &root->party[KB_GUARD], guard);
	/* Else its first steps were part of the first test. */
	seL4_Wait(root->ready, 0);
	KB_MUST(seL4_TCB_SetSpace(seL4_CapInitThreadTCB, kb_badged(root, root->fault_endpoint, KB_FAULT_BADGE + KB_PARTIES),
	                          seL4_CapInitThreadCNode, 0, seL4_CapInitThreadVSpace, 0));
}

static void make_messages(struct kb_root *root)
{
	root->signalled = kb_object(root, seL4_NotificationObject, 0);
	root->done = kb_object(root, seL4_NotificationObject, 0);
	root->ready = kb_object(root, seL4_NotificationObject, 0);
	root->parked = kb_object(root, seL4_NotificationObject, 0);
	root->endpoint = kb_object(root, seL4_EndpointObject, 0);
	root->fault_endpoint = kb_object(root, seL4_EndpointObject, 0);
	root->guard_says = kb_badged(root, root->done, KB_FAULT_BADGE);
	if (KB_MCS) {
		root->reply = kb_object(root, KB_OBJECT_REPLY, 0);
		root->guard_reply = kb_object(root, KB_OBJECT_REPLY, 0);
	}
}

void kb_threads_make(struct kb_root *root)
{
	const struct kb_timed_loop *loop = root->loop;

	make_messages(root);
	root->space = root->apart ? kb_space(root) : seL4_CapInitThreadVSpace;
	make(root, KB_GUARD, KB_PRIORITY_INIT, 0);
	make(root, KB_LOW, root->low_priority,
	     loop->faults ? root->endpoint : kb_badged(root, root->fault_endpoint, KB_FAULT_BADGE + KB_LOW));
	make(root, KB_HIGH, root->high_priority, kb_badged(root, root->fault_endpoint, KB_FAULT_BADGE + KB_HIGH));
	start_guard(root);
}
