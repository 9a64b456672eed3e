/*
 * From raw entries to kernel entries: a system call's begin and end by its thread, which may sleep and move in between, an
 * interrupt's by its CPU, where they nest. A pair across a loss is none: the end may be another's. A fault is one without an end,
 * too: a signal may take its place.
 */
#ifndef KB_TRACE_ENTRIES_PAIR_H
#define KB_TRACE_ENTRIES_PAIR_H

#include "types.h"
#include "trace/entries/entries.h"

struct kb_entry {
	enum kb_entry_kind kind;
	uint64_t number;
	const char *vector;             /* its name; NULL: not a vector */
	uint64_t start_ns, duration_ns; /* CLOCK_MONOTONIC */
	bool lasted;                    /* false: of this fault only the begin is known, and no duration */
	int64_t result;                 /* of a system call */
	uint32_t process, thread, cpu;  /* cpu: where it ended */
};

struct kb_pairing_counts {
	uint64_t raw, entries;          /* taken, and made of them */
	uint64_t unopened;              /* an end without a begin: it began before the trace */
	uint64_t overwritten;           /* a begin without an end, and another begin */
	uint64_t torn;                  /* something was lost between begin and end */
	uint64_t open;                  /* without an end when the trace ended; kb_pairing_finish() counts them */
};

struct kb_pairing;

/* NULL without memory; it takes 200 MiB of addresses, and of memory what threads there are. */
struct kb_pairing *kb_pairing_new(void);
void kb_pairing_free(struct kb_pairing *);

/* Whether the raw entry completes one; a fault also completes the one before it of its thread, which had no end. */
bool kb_pairing_add(struct kb_pairing *, const struct kb_raw_entry *raw, struct kb_entry *entry);

/* At the end: the faults that had no end so far, one after the other. false: there is none left. */
bool kb_pairing_left(struct kb_pairing *, struct kb_entry *entry);
struct kb_pairing_counts kb_pairing_finish(struct kb_pairing *);

#endif
