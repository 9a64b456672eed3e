/*
 * A kernel on one core in one process: threads are coroutines, scheduled by strict priority, first come first served among equals;
 * time is what its own system calls cost. Deterministic: two runs print the same bytes. It judges as a real one does (capabilities
 * of the right type, slots that are empty, memory that is there, a registered IPC buffer where capabilities or more than four
 * words are passed), and ends the program with a line where a real one would hang.
 *
 * Pages that are mapped are real memory, and touching one that is not is a fault of the thread.
 *
 * Not in it: interrupts and slices, address spaces of their own, lookups in capability spaces of more than one level, cores.
 */
#ifndef KB_DOUBLE_KERNEL_H
#define KB_DOUBLE_KERNEL_H

#include <stdio.h>
#include <ucontext.h>

#include "machine.h"

enum { SLOTS = 2048, THREADS = 32, OBJECTS = 512 };
enum { FIRST_EMPTY = 64, FIRST_UNTYPED = 32, FIRST_CONTROL = 16, FIRST_FRAME = 0x100000, FRAMES = 65536 };

/* How the program ends where no kernel would: the root server's own ends are 20 to 22. */
enum { EXIT_LEFT = 0, EXIT_HANG = 70, EXIT_ENDLESS = 71, EXIT_MISUSE = 72 };

enum kind {
	NOTHING, UNTYPED, TCB, ENDPOINT, NOTIFICATION, CNODE, CONTEXT, REPLY, PAGE, TABLE, VSPACE, CONTROL, KINDS
};

enum state { INACTIVE, READY, ON_NOTIFICATION, SENDING, RECEIVING, ON_REPLY };

struct message { seL4_Word badge, word, words[4]; bool call, fault; };

struct object;

struct thread {
	const char *name;
	ucontext_t context;
	char *stack;                    /* of the coroutine; the root server's own is only looked at */
	seL4_UserContext registers;
	bool used, fresh, configured, written;
	seL4_Word priority, limit;      /* limit: MCP */
	enum state state;
	uint64_t since;                 /* its place among equals */
	struct object *waits_for;       /* notification or endpoint */
	struct message message;         /* being sent, or received */
	struct thread *caller;          /* that waits for this one's reply; without MCS */
	struct object *reply;           /* MCS: the object that its receive gave */
	struct object *sched;           /* MCS: the context it runs on */
	struct thread *lender;          /* MCS: whose context that is */
	seL4_Word fault_slot, buffer;
	seL4_Word fault_at, fault_label;
	uint64_t ticks;                 /* that it ran since the counters were reset */
	bool faulted, dead;             /* dead: by a fault that nobody handles */
	seL4_IPCBuffer *pointer;        /* of libsel4, where each thread has its own */
	seL4_IPCBuffer memory;          /* that it points at before the thread is given a buffer */
};

struct object {
	enum kind kind;
	struct thread *thread;          /* TCB; reply: the caller; context: bound to */
	seL4_Word bits, used;           /* untyped */
	seL4_Word badge;                /* notification: pending */
	bool active;                    /* notification */
	bool ready;                     /* context: it has a budget */
	seL4_Word address;              /* page, table: where it is mapped; 0: not */
	unsigned level;                 /* table */
	unsigned references;
};

struct slot { struct object *object; seL4_Word badge; unsigned parent; };

extern struct slot kb_slots[SLOTS];
extern struct thread kb_thread[THREADS];
extern struct thread *kb_current;

/* ---- scheduler.c ------------------------------------------------------------------------------------- */

struct counts { uint64_t entries, schedules, ticks; };
extern struct counts kb_counts;

/* KB_DOUBLE_SIGNAL=N: a signal takes so many instructions more, as in a kernel with a patch. */
extern unsigned kb_double_signal_more;

/* Gives the thread that runs the time since it was last asked; the same for all is kb_counts.ticks. */
void kb_account(void);

/* The kernel's log of its entries, as track_kernel_entries has it; NULL: nobody gave it a page. */
enum { LOG_ROOM = (1 << 20) / 24 };
extern unsigned char *kb_log;
extern uint64_t kb_log_index;
void kb_log_entry(seL4_Word word);

/* Every system call begins here: counts it and lets it cost. trace: what is written into the trace, NULL: nothing. */
void kb_enter(const char *trace, ...) __attribute__((format(printf, 1, 2)));

/* Runs whoever is to run now; returns when the caller is it again. */
void kb_reschedule(void);
void kb_choose(void);                   /* the same, counted as a choice although nothing became ready */
void kb_wake(struct thread *);
void kb_block(enum state, struct object *);
void kb_yield(void);
void kb_start(void (*entry)(const seL4_BootInfo *), const seL4_BootInfo *);

/* A mistake that a real kernel would not survive, or would not notice: one line and the end. */
_Noreturn void kb_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern FILE *kb_trace;

/* Reading the clock is an illegal instruction, as where firmware keeps a counter for itself; until another one is taken. */
enum { CLOCK_AT = 0x500000 };
extern bool kb_clock_refused, kb_no_clock;
extern unsigned kb_double_core;         /* its clock counts the cycles of a core that it shares; 0: instructions */

/* ---- objects.c --------------------------------------------------------------------------------------- */

/* The object of that kind in a slot; NULL: there is none, or another. */
struct object *kb_lookup(seL4_CPtr slot, enum kind);
void kb_objects_boot(seL4_BootInfo *);

/* Whether the current thread can pass capabilities and long messages: an error of seL4, or it faults. */
seL4_Error kb_buffer(void);

/* ---- messages.c -------------------------------------------------------------------------------------- */

/* The current thread faults: its handler hears of it, and it goes on once that replied. */
void kb_fault(seL4_Word label, seL4_Word at, seL4_Word what);
void kb_cancel(struct thread *);

#endif
