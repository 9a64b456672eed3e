/*
 * The root server's state: one of it, filled before the first test, read and written by all threads. Nothing is allocated after
 * set-up. Low is the thread whose time is taken, High is its partner: in the timed loop `signal` a low-priority sender and a
 * high-priority waiter.
 */
#ifndef KB_SEL4_ROOT_H
#define KB_SEL4_ROOT_H

#include "about.h"
#include "machine.h"
#include "machine_io.h"

#include "base/boot_text.h"
#include "base/record.h"
#include "measure/measure.h"
#include "measure/params.h"

#define KB_TABLE_CELLS 4096u            /* tests of a process: group size times groups, or samples of a plan */
#define KB_SAMPLES_MAX 4096u            /* of method single */
#define KB_FAULT_BADGE 16u              /* of a fault endpoint: and the number of the thread */
#define KB_PRIORITY_INIT 255u
#define KB_PRIORITY_HIGH 255u
#define KB_PRIORITY_LOW 254u

enum kb_root_status { KB_STATUS_COMPLETE = 20, KB_STATUS_FAILED = 21, KB_STATUS_UNFIT = 22 };

struct kb_root;
typedef void kb_entry(struct kb_root *);

enum kb_party_kind { KB_LOW, KB_HIGH, KB_GUARD, KB_PARTIES };
enum kb_way { KB_BOTH, KB_THERE, KB_BACK };

/* A thread and all that is its own. */
struct kb_party {
	seL4_CPtr tcb, context, fault;  /* fault: where its faults go, a capability with a badge of its own */
	seL4_Word priority;
	uintptr_t stack, thread;        /* top of the stack; the thread pointer */
	seL4_UserContext registers;     /* what each test starts it with */
};

/* What the guard saw when a thread faulted. */
struct kb_fault { seL4_Word badge, label, word[2]; };     /* words of the message: where, and of what kind */

struct kb_root {
	/* Read and written inside a test: a line of the cache of its own. */
	uint64_t n;                     /* operations of this test */
	volatile uint64_t start, ticks; /* first reading of the test and the difference to the second */
	volatile uint64_t stamp;        /* the partner's reading */
	volatile seL4_Word wrong;       /* error codes of invocations inside a timed loop, ORed */
	seL4_CPtr signalled;            /* notification from Low to High */
	seL4_CPtr done;                 /* notification to init: Low has finished */
	seL4_CPtr parked;               /* never signalled */
	seL4_CPtr endpoint, reply;      /* for messages; the reply object of MCS */
	seL4_CPtr object[4];            /* what a timed loop makes for itself */
	seL4_Word word, address;        /* a message word, an address: a timed loop's own */
	uint64_t *samples;

	const struct kb_timed_loop *loop;
	unsigned needs;                 /* of the timed loop, and of its parameters */
	seL4_Word low_priority, high_priority;
	unsigned entries, switches;     /* of one operation, as the timed loop declares or set-up finds */
	struct kb_run run;
	struct kb_party party[KB_PARTIES];
	volatile struct kb_fault fault;
	seL4_CPtr ready;                /* notification to init: High waits for its first message */
	seL4_CPtr fault_endpoint, guard_reply, guard_says;

	/* Resources. */
	const seL4_BootInfo *info;
	seL4_CPtr next_slot, untyped, space;    /* space: High's */

	/* The request. */
	struct kb_settings settings;
	char method[16], clock_name[16];
	const char *volatile counter;   /* that is read; the clock's name tells what it counts */
	char monitor[KB_MONITOR_NAME];  /* who runs this machine, if that is known */
	bool vouched, emulated;         /* what the counter counts here is known; it is known to be worthless */
	uint64_t seed, process;
	uint64_t init_test_size, delta, group_size, n_groups, samples_asked;
	bool fpu_low, fpu_high, registered, libsel4;
	bool apart;                     /* High has an address space of its own */
	bool alone;                     /* High is below Low, and Low never waits for it: it does not come to its first wait */
	enum kb_way way;
	uint64_t stamps;                /* of one way and of stamped loops: what two readings with nothing between them take */
	bool passive;                   /* High gives up its scheduling context in these tests */
	bool print_record, print_table, leave, counted, chosen_calls;
	bool asks_probe;                /* contention probes between the samples of a plan, where they mean something */
	uint64_t probe;                 /* loops of one; 0: there is none */
	struct kb_span text;
	uint64_t skip;                  /* first tests of each group, part of group_size, that are not to count */
	char confidence[16];            /* of the confidence intervals of method kanata, for whoever makes them; "": not given */

	struct kb_bench bench;          /* the timed loop's description with the hooks of the engine */
	struct kb_clock clock;
	struct kb_record_writer out;
};

extern struct kb_root kb_root;
extern const struct kb_timed_loop *const kb_timed_loops[];
extern uint64_t kb_table[KB_TABLE_CELLS], kb_starts[KB_TABLE_CELLS], kb_samples[KB_SAMPLES_MAX];

/* Entry from the start code, on init's own stack. Does not return. */
void kb_root_main(const seL4_BootInfo *info);

/* ---- requests (request.c) ------------------------------------------------------------------------------------ */

/* Reads the parameter block up to the first line of the plan. */
void kb_request_read(struct kb_root *);

/* The next block of the plan; false at its end. */
bool kb_request_block(struct kb_root *, struct kb_block *);

/* Copies the host's own lines (env, expect) into the record. */
void kb_request_lines(struct kb_root *);

/* ---- output (output.c) --------------------------------------------------------------------------------------- */

struct kb_sink kb_output_sink(void);
void kb_output_str(const char *);
void kb_output_u64(uint64_t);

/* Prints what was kept and starts afresh. */
void kb_output_flush(void);
void kb_output_drop(void);

/* The original's table. */
void kb_output_table(const struct kb_root *);

/* ---- the end (finish.c) -------------------------------------------------------------------------------------- */

void kb_finish(enum kb_root_status) __attribute__((noreturn));

/* A call of seL4 failed: reports which, in the record too, and ends. */
void kb_broken(const char *call, seL4_Word error) __attribute__((noreturn));

/* Something else is wrong with the request or with what came out. */
void kb_wrong(const char *stage, const char *text) __attribute__((noreturn));

/* A thread faulted: reports which, how and where. */
void kb_faulted(const struct kb_root *) __attribute__((noreturn));

/* This kernel does not have what the timed loop needs. */
void kb_unfit(const char *text) __attribute__((noreturn));

/* Every call of seL4 outside the timed loops stands in this. */
#define KB_MUST(call) \
	do { \
		seL4_Word kb_error = (seL4_Word)(call); \
		if (kb_error) \
			kb_broken(#call, kb_error); \
	} while (0)

/* ---- objects (objects.c) ------------------------------------------------------------------------------------- */

void kb_objects_open(struct kb_root *);
/* Empty slots: one, or the first of so many in a row. */
seL4_CPtr kb_slot(struct kb_root *);
seL4_CPtr kb_slot_row(struct kb_root *, seL4_Word count);
seL4_CPtr kb_object(struct kb_root *, seL4_Word type, seL4_Word bits);

/* Untyped memory of its own, of 2 to the power of `bits` bytes. */
seL4_CPtr kb_memory(struct kb_root *, seL4_Word bits);

seL4_CPtr kb_badged(struct kb_root *, seL4_CPtr of, seL4_Word badge);
seL4_CPtr kb_copy(struct kb_root *, seL4_CPtr of);

static inline int kb_page_map(seL4_CPtr page, seL4_Word address, seL4_CapRights_t rights)
{
	return kb_page_map_in(seL4_CapInitThreadVSpace, page, address, rights);
}

/* Maps tables so that a page can be mapped at the address, which nothing else uses. */
void kb_tables_for(struct kb_root *, seL4_Word address);

/* An address space with the pages of this program at their addresses. */
seL4_CPtr kb_space(struct kb_root *);

/* The capability for a page of this program. */
seL4_CPtr kb_frame_of(const struct kb_root *, const void *page);

/* Maps a page, and tables for it where some are missing. */
void kb_map(struct kb_root *, seL4_CPtr space, seL4_CPtr page, seL4_Word address);

/* A large page from an untyped of its own, mapped there. */
seL4_CPtr kb_large_page(struct kb_root *, seL4_Word address);

/* The handler of an interrupt that kb_device_raise(root->address) raises and kb_device_quiet() ends, bound to the notification. */
seL4_CPtr kb_device_interrupt(struct kb_root *, seL4_CPtr notification);

/* ---- threads (threads.c) ------------------------------------------------------------------------------------- */

/* Makes init's own thread-local variables usable. Before every other call. */
void kb_threads_init(struct kb_root *);
void kb_threads_make(struct kb_root *);

/* In setup: so many threads of High's priority, up to KB_CROWD, that run until the machine ends; init waits for them. */
void kb_crowd_start(struct kb_root *, unsigned count, kb_entry *);

/* Sets what the next tests start Low and High with. */
void kb_threads_enter(struct kb_root *, kb_entry *low, kb_entry *high);

/* In a thread with a registered buffer, around calls that pass messages through it: libsel4's pointer may be everybody's. */
void kb_own_buffer(struct kb_root *, enum kb_party_kind);
void kb_init_buffer(struct kb_root *);

/* For High, where Low's faults go to it: receives the first one of a test, whose first word it returns. Of another kind than the
   timed loop means, it ends the test. Once, because in every operation it would be part of it. */
seL4_Word kb_first_fault(struct kb_root *, seL4_Word kind);

/* ---- tests (flow.c, loops.c) --------------------------------------------------------------------------------- */

/* One test of n operations: starts both threads, waits, stops both. Returns the ticks. */
uint64_t kb_flow_test(struct kb_root *, uint64_t n);

/* The whole grid of the Kanata method into kb_table and kb_starts. */
void kb_flow_kanata(struct kb_root *);

kb_entry kb_loop_overhead, kb_loop_overhead_back, kb_loop_empty, kb_loop_parked;

/* Low's last act: tells init, and stays. */
void kb_loop_done(struct kb_root *) __attribute__((noreturn));

/* ---- methods (method.c), the kernel's counters (tracking.c), its log (log.c) ---------------------------------- */

void kb_method_run(struct kb_root *);

/* Counts kernel entries and schedules around tests, on kernels that track them. */
extern const struct kb_probe kb_tracking;

/* What a timed loop must do, or a note that nobody counted; and what was counted. */
void kb_tracking_claims(struct kb_root *);
void kb_tracking_counts(struct kb_root *);

/* Gives the kernel its log. took: the log holds so many entries of that many operations in tests; false: it was full. */
void kb_log_open(struct kb_root *);
bool kb_log_took(uint64_t entries, uint64_t operations, uint64_t tests);
void kb_log_print(struct kb_root *);

#endif
