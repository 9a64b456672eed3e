/*
 * Where the operation ran, and who else worked: the CPU of the thread that measures and those of its partners, CPU time of other threads and
 * of children that the benchmark started by itself, and whether partners had anything to do. Looked at around samples and blocks.
 */
#ifndef KB_EVIDENCE_WHERE_H
#define KB_EVIDENCE_WHERE_H

#include "types.h"
#include "base/record.h"

#define KB_WATCHED_MAX 4        /* partners that are looked after: the first ones */

struct kb_where {
	uint64_t samples, away;         /* samples, and those that ended on another CPU than the one they were given */
	uint64_t free;                  /* 1: the thread may run on other CPUs, too */
	uint64_t own_us, others_us;     /* CPU time of this thread, and of others that nobody declared */
	uint64_t looks, partner_away;   /* at partners when a block was over, and those that had run on another CPU than theirs */
	uint64_t partner_us;            /* CPU time of partners since the first block, warm-up included */
	uint64_t stretches, partner_idle;       /* of blocks with partners, and those in which none of these had CPU time */
};

struct kb_lookout {
	unsigned cpu;
	struct kb_where seen;
	struct { int pid; unsigned cpu; } partners[KB_WATCHED_MAX];
	unsigned partner_count;
	bool helped;                    /* the benchmark declared threads */
	uint64_t process_ns, thread_ns;         /* when the block began */
	uint64_t first_ns;              /* CPU time of partners when the first block began */
	uint64_t stretch_ns, own_ns, partner_ns;        /* when the stretch began; 0: it has not */
	int *peers;                     /* children that kbench started */
	unsigned peer_count;
};

void kb_lookout_open(struct kb_lookout *, unsigned cpu);
void kb_lookout_partner(struct kb_lookout *, int pid, unsigned cpu);   /* again: it goes to another CPU by itself */
void kb_lookout_block_begin(struct kb_lookout *);
void kb_lookout_block_end(struct kb_lookout *, bool warm);
void kb_lookout_sample(struct kb_lookout *, unsigned cpu);

/* Behind the last block, while children are still there. children: those that are no partners are the benchmark's. */
void kb_lookout_finish(struct kb_lookout *, bool children);

/* The record's `where` line, and back. */
void kb_lookout_report(const struct kb_lookout *, struct kb_record_writer *);
void kb_where_read(struct kb_span rest, struct kb_where *);

#endif
