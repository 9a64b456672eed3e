/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the parts that execute a process share: its threads, its limits, what it has measured. One process at a time on a machine: two
 * would measure each other.
 */
#ifndef KBENCH_FRAMEWORK_STATE_H
#define KBENCH_FRAMEWORK_STATE_H

#include <linux/wait.h>

#include "framework/entry.h"
#include "framework/events.h"
#include "framework/processor.h"
#include "framework/queue.h"
#include "measure/measure.h"

/* A sample of one operation, 16 bytes: millions of them are kept until somebody reads them. */
struct kb_sample {
	u64 start;
	u32 ticks;              /* U32_MAX: longer than that */
	u16 flags;              /* enum kb_flag, and KB_SAMPLE_SATURATED */
	u16 thread;
};
#define KB_SAMPLE_SATURATED 0x8000u

/* How a run went; for those who look without a record. */
struct kb_run_report {
	u64 window;             /* longest time with preemption off, ticks */
	unsigned isolation;     /* the weakest mode that a window had to fall back to */
	unsigned threads;
	unsigned overlap;       /* of the threads, percent */
};

/* One thread of a process; the first is the caller's. */
struct kb_worker {
	struct kb_run run;              /* container_of(run) is how a hook knows who it is */
	struct kb_kernel_process *process;
	struct task_struct *task;       /* NULL: the caller */
	unsigned index, cpu;
	int error;
	bool is_set_up, refuted;        /* refuted: since this was last cleared */
	struct kb_sample *samples;
	u64 count;                      /* of them */
	u64 first, last;                /* stamps of its share: first sample's start, last one's end */
	u64 busy;                       /* ticks in samples that were not disturbed */
	u64 window;                     /* its longest one, ticks */
	struct kb_seen before;
} ____cacheline_aligned;

/* Time in which preemption (mode 1) and interrupts (mode 2) are off. */
struct kb_window { unsigned mode; unsigned long irq_flags; u64 opened; };

/* The author's `context` of struct kb_run. */
struct kb_context {
	struct kb_kernel_entry *entry;
	struct kb_settings settings;
	char detail[200];               /* of the last kb_fail or kb_skip */
	bool skipped;
	char refuted[80];               /* what the last kb_refute reported */
	atomic64_t counts[KB_COUNTERS]; /* kb_count */
};

/* Sums around samples of a role. */
struct kb_counted { u64 counts[KB_COUNTERS], operations, samples; };

struct kb_kernel_process {
	struct kb_context context;
	struct kb_clock clock;
	struct kb_probe probe;
	struct kb_record_writer out;
	struct kb_queue queue;
	struct kb_measure *measure;
	struct kb_block *block;
	unsigned cursor;                /* next step of the block that is a sample */
	u64 samples;                  /* that the next window spans: those of a group; 1 or more while a plan is executed */
	u64 cost;                       /* of one operation as far as known, ticks: the least */
	u64 slow;                       /* of one since windows became too long; 0: they fit */
	bool was_long;                  /* the last one was */
	u64 deadline;                   /* of this step, ticks */
	struct kb_window window;        /* of the sample of a plan */
	struct kb_run_report report;    /* of this process */
	u64 block_window;               /* the longest of this block, ticks */
	unsigned block_mode;
	bool warm;                      /* the block only warms up: no evidence */
	struct kb_counted op, base;
	u64 seen[KB_COUNTERS];          /* before the sample */
	struct kb_kernel_events events; /* that the host asked for */
	char method[64];
	u64 seed, number;
	/* The parameters that the framework reads. */
	u64 loop_count, warmup, batch, max_ms;
	unsigned threads, isolation;
	/* Threads. */
	struct kb_worker *workers;
	wait_queue_head_t parked;       /* where they wait for work */
	void (*work)(struct kb_worker *);
	unsigned round;                 /* counts the work that was handed out */
	unsigned created;               /* threads that exist, the caller's not counted */
	atomic_t ready, through, done;  /* of this round: those that stand on the line, have their samples, are parked again */
	bool stop;                      /* READ_ONCE, WRITE_ONCE: the round is over */
	u64 wanted;                     /* samples a thread */
	u64 next_block, sample_block;   /* a number that no block has yet; the samples' */
	u64 emitted;                    /* samples that are in the record already */
	bool is_open;                   /* setup was called */
	void *state;                    /* that it made: threads may have replaced theirs */
	bool failed;                    /* no further step may follow */
	struct { bool due; const char *stage; int error; } last;        /* the line that ends the record; error 0: `end` */
};

static inline struct kb_worker *kb_worker_of(const struct kb_run *run)
{
	return container_of(run, struct kb_worker, run);
}

#endif
