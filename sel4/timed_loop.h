/*
 * What the author of a seL4 benchmark includes. A file bench/sel4/X.c is the benchmark sel4.X: KB_SEL4_ABOUT describes it (data of
 * struct kb_bench only: the host's list is made from that text), loops are written with the macros below, and KB_SEL4_TIMED_LOOP
 * names them. Both threads run until init stops them; a loop of a partner never ends.
 */
#ifndef KB_SEL4_TIMED_LOOP_H
#define KB_SEL4_TIMED_LOOP_H

#include "root.h"
#include "about.h"

/* What a timed loop needs of set-up. */
enum kb_timed_loop_need {
	KB_NEED_BUFFER = 1,             /* Low passes capabilities or long messages: a registered buffer, whatever ipcbuf is */
	KB_NEED_BOTH_BUFFERS = 2,
	KB_NEED_MCS = 4,
	KB_NEED_NULL_CALL = 8
};

struct kb_timed_loop {
	const struct kb_bench *about;
	unsigned needs;
	unsigned entries, switches;                     /* of one operation: kernel entries, and choices of the next thread */
	bool faults;                                    /* Low's faults go to `endpoint`, where High handles them */
	bool passive;                                   /* MCS: High gives up its scheduling context once it waits */
	void (*choose)(struct kb_root *);               /* before the threads are made: other priorities (254 and 255), further needs */
	void (*setup)(struct kb_root *);                /* once: objects, numbers; ends by kb_unfit or kb_wrong where it cannot */
	kb_entry *low, *high;                           /* high NULL: a partner that stays blocked */
	kb_entry *low_libsel4, *high_libsel4;           /* the same through libsel4's own functions; NULL: no such choice */
	kb_entry *low_single;                           /* readings around each operation; NULL: it has no single operation */
	kb_entry *low_there, *low_back, *high_stamps;   /* one way, with readings of both threads; NULL: no such choice */
	bool stamped;                                   /* `low_single` always: each operation leaves something that is put back, not timed */
	void (*again)(struct kb_root *);                /* after each test, not timed: puts back what the operations left behind */
};

#ifndef KB_SYMBOL
#define KB_SYMBOL kb_sel4_unnamed
#endif
#ifndef KB_NAME
#define KB_NAME "sel4.unnamed"
#endif

#define KB_SEL4_ABOUT(...) \
	static const struct kb_bench about = { .abi = KB_ABI, .size = sizeof(struct kb_bench), .name = KB_NAME, __VA_ARGS__ }

#define KB_SEL4_TIMED_LOOP(...) \
	extern const struct kb_timed_loop KB_SYMBOL; \
	const struct kb_timed_loop KB_SYMBOL = { .about = &about, __VA_ARGS__ }

/* Loops begin at one place of a line of the cache, whichever stand before them: by what is filled in before the first reading, for behind
   it that would be timed. */
#define KB_SEL4_ALIGN() __asm__ volatile(".balign 64" : : : "memory")

/* Low's loop: two readings around n times the statement, and nothing else in between. n is never 0. */
#define KB_SEL4_TIMED(root, statement) \
	do { \
		uint64_t kb_left = (root)->n; \
		KB_SEL4_ALIGN(); \
		uint64_t kb_start = kb_sel4_clock(); \
		do { \
			statement; \
		} while (--kb_left); \
		uint64_t kb_end = kb_sel4_clock(); \
		(root)->start = kb_start; \
		(root)->ticks = kb_end - kb_start; \
	} while (0)

/* A sample for each operation: `before` and `after` are what is not timed, `from` and `to` readings of either thread. */
#define KB_SEL4_SAMPLES(root, before, from, statement, to, after) \
	do { \
		uint64_t *kb_sample = (root)->samples; \
		uint64_t kb_left = (root)->n; \
		(root)->start = kb_sel4_clock(); \
		do { \
			before; \
			KB_SEL4_SAMPLE(kb_sample++, from, statement, to); \
			after; \
		} while (--kb_left); \
		(root)->ticks = kb_sel4_clock() - (root)->start; \
	} while (0)

/* The partner's reading is taken when both have been: behind the statement. */
#define KB_SEL4_SAMPLE(to_sample, from, statement, to) \
	do { \
		uint64_t kb_own = (from); \
		statement; \
		*(to_sample) = (to) - kb_own; \
	} while (0)
#define KB_SEL4_SINGLE(root, statement) \
	KB_SEL4_SAMPLES(root, (void)0, kb_sel4_clock(), statement, kb_sel4_clock(), (void)0)
#define KB_SEL4_THERE(root, statement) \
	KB_SEL4_SAMPLES(root, (void)0, kb_sel4_clock(), statement, (root)->stamp, (void)0)
#define KB_SEL4_BACK(root, statement) \
	KB_SEL4_SAMPLES(root, (void)0, 0, statement, kb_sel4_clock() - (root)->stamp, (void)0)

/* Both loops around one statement: NAME for n of them between two readings, NAME_single with readings around each. `locals` holds
   what the loop uses, so that it is loaded before; `after` runs when the time is taken. */
#define KB_SEL4_LOW(name, locals, statement, after) \
	KB_SEL4_ENTRY(name, locals, KB_SEL4_TIMED(root, statement), after; kb_loop_done(root)) \
	KB_SEL4_ENTRY(name##_single, locals, KB_SEL4_SINGLE(root, statement), after; kb_loop_done(root))
#define KB_SEL4_ENTRY(name, locals, loop, after) \
	static void name(struct kb_root *root) \
	{ \
		locals; \
		loop; \
		after; \
	}

/* And the loops of one way, where the partner has KB_SEL4_HIGH's. */
#define KB_SEL4_LOW_WAYS(name, locals, statement, after) \
	KB_SEL4_LOW(name, locals, statement, after) \
	KB_SEL4_ENTRY(name##_there, locals, KB_SEL4_THERE(root, statement), after; kb_loop_done(root)) \
	KB_SEL4_ENTRY(name##_back, locals, KB_SEL4_BACK(root, statement), after; kb_loop_done(root))

/* The partner: `first` once a test, then the statement for ever; NAME_stamps reads the clock between any two of them. No loop of High's
   has a counter: one would let the processor run ahead into what follows the loop. */
#define KB_SEL4_HIGH(name, locals, first, statement) \
	KB_SEL4_ENTRY(name, locals, first; for (;;) { statement; }, (void)0) \
	KB_SEL4_ENTRY(name##_stamps, locals, first; for (;;) { root->stamp = kb_sel4_clock(); statement; }, (void)0)

/* The loops of KB_SEL4_LOW, and of it and KB_SEL4_HIGH, in KB_SEL4_TIMED_LOOP. */
#define KB_SEL4_LOOPS(name) .low = name, .low_single = name##_single
#define KB_SEL4_WAYS(name, partner) \
	KB_SEL4_LOOPS(name), .low_there = name##_there, .low_back = name##_back, .high = partner, .high_stamps = partner##_stamps

/* For `choose`: High's priority by a parameter that is KB_SEL4_PARTNER. */
void kb_partner_priority(struct kb_root *, const char *name);

/* For `after`: error codes of the statement, collected in a local `wrong`. A failing call gives a fine, stable number. */
#define KB_SEL4_WRONG(root) ((root)->wrong |= (seL4_Word)wrong)

#endif
