/* Who runs, and what time it is. */
#include "kernel.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arch/chain.h"
#include "kbench_code.h"

#define COST_ENTRY 180u                 /* of a system call, and of a switch, in the double's instructions */
#define COST_SWITCH 70u
#define COST_CLOCK 3u
#define BURST 8000000u                  /* of the neighbour, and how often it comes */
#define BURST_PERIOD 12000000u
#define BURST_SHIFT 1700000u
#define STACK_BYTES (64u << 10)
#define ENTRIES_MAX 200000000u          /* a run that does not end */

struct thread kb_thread[THREADS];
struct thread *kb_current;
struct counts kb_counts;
unsigned char *kb_log;
uint64_t kb_log_index;
FILE *kb_trace;

static uint64_t now, accounted, stamps, all_entries;
static bool choose;                     /* somebody woke or stopped: the kernel looks for the best, once in a system call */

/* ---- the end ----------------------------------------------------------------------------------------- */

_Noreturn void kb_misuse(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fprintf(stderr, "double: %s: ", kb_current ? kb_current->name : "boot");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(EXIT_MISUSE);
}

static const char *what_of(const struct thread *thread)
{
	static const char *const words[] = {
		[INACTIVE] = "is suspended", [READY] = "is ready", [ON_NOTIFICATION] = "waits for a notification",
		[SENDING] = "sends", [RECEIVING] = "receives", [ON_REPLY] = "waits for a reply",
	};

	return thread->state == READY && KB_MCS && !thread->sched ? "has no scheduling context" : words[thread->state];
}

/* On a real machine: for ever, without a word. */
static _Noreturn void hang(void)
{
	fflush(stdout);
	if (kb_thread[0].state == INACTIVE && !kb_thread[0].dead)
		exit(EXIT_LEFT);
	fputs("double: nothing can run:", stderr);
	for (unsigned i = 0; i < THREADS && kb_thread[i].used; i++)
		fprintf(stderr, "%s %s %s", i ? "," : "", kb_thread[i].name, what_of(&kb_thread[i]));
	fputc('\n', stderr);
	exit(EXIT_HANG);
}

/* ---- time -------------------------------------------------------------------------------------------- */

bool kb_clock_refused, kb_no_clock;

const char *kb_machine_other_clock(void)
{
	kb_clock_refused = kb_no_clock;
	return "rdtime";
}

uint64_t kb_double_clock(void)
{
	while (kb_clock_refused) {
		kb_enter(NULL);
		kb_fault(seL4_Fault_UserException, CLOCK_AT, 0);
	}
	now += COST_CLOCK;
	return now;
}

/*
 * KB_DOUBLE_CORE=N: its clock counts the cycles of a core, in which a multiplication takes three and a load four. Another hardware
 * thread of that core works in bursts: whatever needs issue slots takes longer then. N shifts them: another boot, other bursts.
 */
unsigned kb_double_core;

static bool is_contended(void)
{
	return kb_double_core > 0 && (now + BURST_SHIFT * kb_double_core) % BURST_PERIOD < BURST;
}

static uint64_t work_cost(uint64_t instructions)
{
	return is_contended() ? instructions * 13 / 10 : instructions;
}

const unsigned kb_contention_loop = 216;

/* Six instructions a cycle; not a whole part of what a clock probe counts, as on no core. */
void kb_contention_run(uint64_t loops)
{
	now += loops * (is_contended() ? 52 : 36);
}

static unsigned cycles_of(enum kb_chain kind)
{
	return kb_double_core == 0 ? 1 : kind == KB_CHAIN_IMUL ? 3 : kind == KB_CHAIN_LOAD ? 4 : 1;
}

/* Straight machine code is all that takes time beside system calls: an instruction each. A chain leaves slots to a neighbour. */
uint64_t kb_chain(enum kb_chain kind, uint64_t n, uint64_t start, uint64_t operand)
{
	now += n * cycles_of(kind);
	return start + n * operand;
}

void kb_double_work(enum kb_work work, uint64_t n)
{
	static const enum kb_chain kinds[] = { [KB_WORK_ADD] = KB_CHAIN_ADD, [KB_WORK_IMUL] = KB_CHAIN_IMUL, [KB_WORK_LOAD] = KB_CHAIN_LOAD };

	now += work == KB_WORK_NOTHING ? n / 6 : n * cycles_of(kinds[work]);
}

void kb_account(void)
{
	kb_current->ticks += now - accounted;
	kb_counts.ticks += now - accounted;
	accounted = now;
}

/* Field by field, as it stands in memory on a machine with the low byte first. */
void kb_log_entry(seL4_Word word)
{
	const struct { seL4_Word value; unsigned bytes; } fields[] = { { now, 8 }, { COST_ENTRY, 4 }, { word, 4 }, { 0, 8 } };
	unsigned char *at = kb_log + 24 * kb_log_index;

	if (!kb_log || kb_log_index == LOG_ROOM)
		return;
	kb_log_index++;
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned byte = 0; byte < fields[i].bytes; byte++)
			*at++ = (unsigned char)(fields[i].value >> 8 * byte);
	}
}

/* Path 6 in byte 12, and from byte 13 the number of the call; invocations are calls. */
static void log_call(const char *trace)
{
	static const struct { const char *trace; int number; } calls[] = {
		{ "Signal", seL4_SysSend }, { "Send", seL4_SysSend }, { "Wait", KB_MCS ? seL4_SysWait : seL4_SysRecv },
		{ "ReplyRecv", seL4_SysReplyRecv }, { "Recv", seL4_SysRecv }, { "NBSendRecv", seL4_SysNBSendRecv }, { "Yield", seL4_SysYield },
	};
	seL4_Word number = (seL4_Word)-seL4_SysCall;

	for (unsigned i = 0; trace && i < sizeof calls / sizeof calls[0]; i++) {
		if (strncmp(trace, calls[i].trace, strlen(calls[i].trace)) == 0)
			number = (seL4_Word)-calls[i].number;
	}
	kb_log_entry(6 | number << 8);
}

void kb_enter(const char *trace, ...)
{
	va_list arguments;

	log_call(trace);
	now += work_cost(COST_ENTRY);
	kb_counts.entries++;
	if (++all_entries > ENTRIES_MAX) {
		fprintf(stderr, "double: more than %u system calls\n", ENTRIES_MAX);
		exit(EXIT_ENDLESS);
	}
	if (!kb_trace || !trace)
		return;
	fprintf(kb_trace, "%s ", kb_current->name);
	va_start(arguments, trace);
	vfprintf(kb_trace, trace, arguments);
	va_end(arguments);
	fputc('\n', kb_trace);
}

/* ---- threads ----------------------------------------------------------------------------------------- */

static bool can_run(const struct thread *thread)
{
	return thread->used && thread->state == READY && (!KB_MCS || (thread->sched && thread->sched->ready));
}

static struct thread *best(void)
{
	struct thread *found = NULL;

	for (unsigned i = 0; i < THREADS; i++) {
		struct thread *thread = &kb_thread[i];

		if (!can_run(thread))
			continue;
		if (!found || thread->priority > found->priority ||
		    (thread->priority == found->priority && thread->since < found->since))
			found = thread;
	}
	return found;
}

/* A thread's registers are its first function, which does not return: nobody is there to return to. */
static void begin(void)
{
	void (*entry)(void *) = (void (*)(void *))kb_current->registers.pc;

	entry((void *)kb_current->registers.argument);
	kb_misuse("its first function returned");
}

/* Where libsel4's pointer is thread-local, a switch changes it; a thread begins with one that is its own. */
static void change_pointer(struct thread *old, struct thread *next)
{
	if (!KB_DOUBLE_OWN)
		return;
	old->pointer = __sel4_ipc_buffer;
	if (next->fresh)
		next->pointer = next->buffer ? (seL4_IPCBuffer *)next->buffer : &next->memory;
	__sel4_ipc_buffer = next->pointer;
}

static void switch_to(struct thread *next)
{
	struct thread *old = kb_current;
	static ucontext_t dropped;

	now += work_cost(COST_SWITCH);
	kb_account();
	kb_current = next;
	change_pointer(old, next);
	if (next->fresh) {
		next->fresh = false;
		if (!next->registers.pc || next->registers.sp % 16 || !next->registers.sp)
			kb_misuse("starts without an entry or without a stack");
		if (!next->stack)
			next->stack = malloc(STACK_BYTES);
		/* A thread may start itself again: its old context is overwritten then, so it is left first. */
		getcontext(&next->context);
		next->context.uc_stack.ss_sp = next->stack;
		next->context.uc_stack.ss_size = STACK_BYTES;
		next->context.uc_link = NULL;
		makecontext(&next->context, begin, 0);
	}
	swapcontext(old == next ? &dropped : &old->context, &next->context);
}

void kb_reschedule(void)
{
	struct thread *next = best();

	kb_counts.schedules += choose;
	choose = false;
	if (!next)
		hang();
	if (next != kb_current || next->fresh)
		switch_to(next);
}

void kb_choose(void)
{
	choose = true;
	kb_reschedule();
}

void kb_wake(struct thread *thread)
{
	choose = true;
	thread->state = READY;
	thread->waits_for = NULL;
	thread->since = ++stamps;
}

void kb_block(enum state state, struct object *object)
{
	choose = true;
	kb_current->state = state;
	kb_current->waits_for = object;
	/* Among those that wait the first comes first, too. */
	kb_current->since = ++stamps;
	kb_reschedule();
}

void kb_yield(void)
{
	choose = true;
	kb_current->since = ++stamps;
	kb_reschedule();
}

void kb_start(void (*entry)(const seL4_BootInfo *), const seL4_BootInfo *info)
{
	static ucontext_t host;
	struct thread *init = &kb_thread[0];

	init->registers = (seL4_UserContext){ .pc = (seL4_Word)entry, .argument = (seL4_Word)info, .sp = 16 };
	init->stack = malloc(4 * STACK_BYTES);
	kb_current = init;
	getcontext(&init->context);
	init->context.uc_stack.ss_sp = init->stack;
	init->context.uc_stack.ss_size = 4 * STACK_BYTES;
	init->context.uc_link = NULL;
	makecontext(&init->context, begin, 0);
	swapcontext(&host, &init->context);
}
