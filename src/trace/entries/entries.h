/*
 * Kernel entries as the kernel reports them: one raw entry each for the begin and for the end of a system call or an interrupt,
 * for the begin of a page fault and, where events may be counted, for its end, through a ring in shared memory that is read while
 * it fills. Nothing is paired and nothing computed here. What finds no room is counted by the kernel and not kept; nothing that
 * was kept is overwritten.
 */
#ifndef KB_TRACE_ENTRIES_ENTRIES_H
#define KB_TRACE_ENTRIES_ENTRIES_H

#include "types.h"
#include "trace/entries/members.h"

enum kb_entry_kind { KB_ENTRY_SYSCALL, KB_ENTRY_VECTOR, KB_ENTRY_IRQ, KB_ENTRY_FAULT_USER, KB_ENTRY_FAULT_KERNEL, KB_ENTRY_NMI };
#define KB_ENTRY_KINDS 6
extern const char *const kb_entry_kind_names[KB_ENTRY_KINDS]; /* syscall vector irq fault_user fault_kernel nmi */

/* KB_EDGE_FAULT: a begin that may have no end. KB_EDGE_FAULT_END: a software event counts the fault as resolved.
   KB_EDGE_SPAN: one report at the end, whose value is the duration. */
enum kb_edge { KB_EDGE_BEGIN, KB_EDGE_END, KB_EDGE_FAULT, KB_EDGE_FAULT_END, KB_EDGE_SPAN };

/* A tracepoint, or a software event, and what its entries mean. */
struct kb_entry_point {
	const char *tracepoint;
	enum kb_entry_kind kind;
	enum kb_edge edge;
	unsigned argument;              /* of the tracepoint: the number; of an event: which (PERF_COUNT_SW_...) */
	const char *name;               /* of the vector; NULL: the number is all */
};
#define KB_ENTRY_POINTS_MAX 40
extern const struct kb_entry_point kb_entry_points[];   /* up to one without tracepoint; a begin stands before its end */
extern const unsigned kb_entry_point_count;

/* Whether it tells of an interrupt, once for each; NMIs are told of at their end. */
bool kb_entry_interrupts(const struct kb_entry_point *);

/* As the programs write it: 32 bytes. */
struct kb_raw_entry {
	uint64_t ns;                    /* CLOCK_MONOTONIC */
	uint64_t value;                 /* number of the system call, vector or interrupt; error code of a fault; ns of an NMI */
	uint64_t thread;                /* process id in the upper half, thread id in the lower */
	uint16_t cpu, point;            /* point: index in kb_entry_points */
	uint32_t lost;                  /* how many had been lost so far, the lower half of that: what is between two entries with
	                                   one such number is all there */
};

/* Shared with the programs. */
struct kb_entries_control {
	uint64_t on;
	uint64_t lost;                  /* raw entries that found the ring full */
};

struct kb_entries {
	struct kb_members members;
	volatile struct kb_entries_control *control;
	int control_map, ring_map;
	uint64_t ring_bytes;
	volatile uint64_t *consumer, *producer;
	const unsigned char *data;
	int programs[KB_ENTRY_POINTS_MAX], links[KB_ENTRY_POINTS_MAX];
	int *events;                    /* of fault ends: one a CPU for each; NULL: none */
	unsigned event_count;
	int errors[KB_ENTRY_POINTS_MAX];        /* 0: it reports; -errno: it cannot, nothing of it is seen */
	const char *failed;             /* the step that ended kb_entries_open(), for people */
};

/*
 * Puts the programs in place, switched off. ring_bytes: a power of two of at least a page. everything: all threads of the machine
 * but those of this process; else the members, which the caller names. 0 or -errno, then `failed` has the step; without system
 * calls to report there is nothing, the rest may be missing.
 */
int kb_entries_open(struct kb_entries *, uint64_t ring_bytes, bool everything);

/* Adds the ends of page faults; where that is refused, errors[] of these points has the reason, and faults have begins alone. */
void kb_entries_add_fault_ends(struct kb_entries *, bool everything);
void kb_entries_switch(struct kb_entries *, bool on);
void kb_entries_close(struct kb_entries *);

/* Takes the programs of system calls away, and puts them back. 0 or -errno. */
int kb_entries_calls(struct kb_entries *, bool there);

/* Takes up to `room` raw entries out of the ring; how many. Those of one CPU come in their order, others nearly. */
size_t kb_entries_take(struct kb_entries *, struct kb_raw_entry *raw, size_t room);

/* Bytes of ring that `entries` raw entries take. */
#define KB_ENTRIES_BYTES(entries) ((entries) * (sizeof(struct kb_raw_entry) + 8))

#endif
