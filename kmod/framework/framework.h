/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the parts of kbench.ko share. One launch at a time on a machine: two would measure each other.
 *
 * registry.c  benchmarks that are loaded         launch.c   a launch from set-up to teardown, and its header
 * sysfs.c     their folders, `cat run`           block.c    intervals of a plan: isolation, bounds, evidence
 * device.c    /dev/kbench                        samples.c  single operations, as many as memory holds
 * queue.c     record text on its way out         threads.c  the other threads of a contended benchmark
 * window.c    time without preemption            trace.c    its log of trace points
 * context.c   what authors call                  ARCH/      its clock, its interrupts
 */
#ifndef KBENCH_FRAMEWORK_H
#define KBENCH_FRAMEWORK_H

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "base/order_statistics.h"
#include "kbench_kernel.h"
#include "measure/emulation.h"
#include "measure/measure.h"
#include "measure/params.h"

/* ---- registry ------------------------------------------------------------------------------------ */

struct kb_entry_attribute;

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

struct kb_kernel_entry {
	struct kobject kobj;
	struct completion released;
	struct list_head list;
	struct kb_kernel_bench *kernel;
	struct kb_bench bench;          /* with the framework's parameters and hooks */
	char name[48];                  /* kernel.X */
	struct mutex lock;              /* of what follows */
	bool running;
	struct kb_settings settings;    /* of `cat run` */
	struct kb_launch *kept;         /* its last run, for /dev/kbench; NULL: none */
	struct kb_entry_attribute *attributes;
	unsigned attribute_count;
};

/* The entry of kernel.X by X, its module held. ERR_PTR: -ENOENT, -ENODEV (it is on its way out). */
struct kb_kernel_entry *kb_entry_get(const char *name);
/* Holds the module of an entry that is known to be there. -ENODEV: it is on its way out. */
int kb_entry_hold(struct kb_kernel_entry *entry);
void kb_entry_put(struct kb_kernel_entry *entry);

/* ---- record text --------------------------------------------------------------------------------- */

#define KB_QUEUE_MAX (16u << 20)        /* text that nobody has read yet, bytes */

struct kb_queue { char *bytes; size_t room, from, to; };

/* A sink that appends; -ENOBUFS beyond KB_QUEUE_MAX. */
struct kb_sink kb_queue_sink(struct kb_queue *queue);
/* Up to `count` bytes to user space; what is copied is gone. Bytes or -EFAULT. */
ssize_t kb_queue_read(struct kb_queue *queue, char __user *to, size_t count);
void kb_queue_free(struct kb_queue *queue);

/* ---- a launch ------------------------------------------------------------------------------------ */

#define KB_SAMPLES_BYTES_MAX (256ul << 20)
#define KB_HOST_LINES_MAX 8192u

/* Counters of an interval's surroundings. */
struct kb_seen { u64 interrupts, switches, preemptions; unsigned cpu; };

/* One thread of a launch; the first is the caller's. */
struct kb_worker {
	struct kb_run run;              /* container_of(run) is how a hook knows who it is */
	struct kb_launch *launch;
	struct task_struct *task;       /* NULL: the caller */
	unsigned index, cpu;
	int error;
	bool is_set_up, refuted;        /* refuted: since this was last cleared */
	struct kb_sample *samples;
	u64 count;                      /* of them */
	u64 first, last;                /* stamps of its share: first sample's start, last one's end */
	u64 busy;                       /* ticks in intervals that were not disturbed */
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
	char refuted[80];               /* what the last kb_refute said */
	atomic64_t counts[KB_COUNTERS]; /* kb_count */
};

/* Sums around intervals of a role. */
struct kb_tally { u64 counts[KB_COUNTERS], operations, intervals; };

struct kb_launch {
	struct kb_context context;
	struct kb_clock clock;
	struct kb_probe probe;
	struct kb_record_writer out;
	struct kb_queue queue;
	struct kb_measure *measure;
	struct kb_block *block;
	unsigned cursor;                /* next step of the block that is an interval */
	u64 intervals;                  /* that the next window spans: those of a group; 1 or more while a plan is executed */
	u64 cost;                       /* of one operation as far as known, ticks: the least */
	u64 slow;                       /* of one since windows became too long; 0: they fit */
	bool was_long;                  /* the last one was */
	u64 deadline;                   /* of this step, ticks */
	struct kb_window window;        /* of the interval of a plan */
	struct kb_run_report report;    /* of this launch */
	u64 block_window;               /* the longest of this block, ticks */
	unsigned block_mode;
	bool warm;                      /* the block only warms up: no evidence */
	struct kb_tally op, base;
	u64 seen[KB_COUNTERS];          /* before the interval */
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

struct kb_worker *kb_worker_of(const struct kb_run *run);

/* Takes the machine's only place; -EBUSY. */
int kb_claim(void);
void kb_release(void);

/* A launch of an entry, whose module the caller holds. ERR_PTR(-ENOMEM). It starts with settings of the caller's. */
struct kb_launch *kb_launch_new(struct kb_kernel_entry *entry, const struct kb_settings *settings);
/* Header, calibration, set-up. `lines`: header lines of the host, may be NULL. 0, or -errno with a `fail` line. */
int kb_launch_begin(struct kb_launch *launch, char *lines);
/* Teardown and `end`. */
int kb_launch_end(struct kb_launch *launch);
/* Teardown if that is still due, and memory. */
void kb_launch_free(struct kb_launch *launch);
/* Tears down, writes the fail line (and the note of a kb_skip) and returns error. */
int kb_launch_fail(struct kb_launch *launch, const char *stage, int error);
/* After a step whose fail line is written: tears down. */
void kb_launch_abandon(struct kb_launch *launch);
/* Writes the line that ends the record once no samples are pending before it. */
void kb_launch_last_line(struct kb_launch *launch);
void kb_launch_line(struct kb_launch *launch, const char *word, const char *format, ...) __printf(3, 4);
void kb_write_format(struct kb_record_writer *writer, const char *word, const char *format, ...) __printf(3, 4);
/* The log of trace points as a record behind this launch's. -ENODATA: it made none. */
int kb_trace_write(struct kb_launch *launch);
void kb_trace_release(void);
/* A hook may return any number; a system call must not. */
static inline int kb_errno(int error)
{
	return error > 0 || error < -MAX_ERRNO ? -EIO : error;
}
/* Begins a step that ends by max_ms. */
void kb_launch_arm(struct kb_launch *launch);
/* 0, -EINTR (a fatal signal, or the launch is stopped), -ETIME. */
int kb_launch_may_go_on(const struct kb_launch *launch);

/* The author's hooks as kb_measure_block wants them, and its probe. */
void kb_block_hooks(struct kb_bench *bench, const struct kb_kernel_hooks *hooks);
void kb_block_probe(struct kb_launch *launch);
/* Executes launch->block. */
int kb_block_run(struct kb_launch *launch);
/* What one operation costs, so that a window can be bounded before it opens. */
int kb_block_first_cost(struct kb_launch *launch);
/* `e` lines. */
void kb_block_evidence(struct kb_launch *launch);

/* Longest window of a mode, ticks. */
u64 kb_window_limit(const struct kb_launch *launch, unsigned mode);
/* The strongest mode up to the launch's whose window holds so many ticks. */
unsigned kb_window_mode(const struct kb_launch *launch, u64 ticks);
void kb_window_open(struct kb_window *window, unsigned mode);
/* Returns its length in ticks, and lets others run. */
u64 kb_window_close(struct kb_window *window);
/* What n operations may take, ticks. */
u64 kb_expected_ticks(const struct kb_launch *launch, u64 n);
void kb_learn_cost(struct kb_launch *launch, u64 n, u64 ticks);
/* The same for the next window, which is shut longer where others contend, with the two contention probes inside it; and what is
   learnt of the last, of that length. */
u64 kb_window_ticks(const struct kb_launch *launch, u64 n);
void kb_learn_window(struct kb_launch *launch, u64 n, u64 ticks, u64 length);
/* One untimed interval: prepare, op, check. */
int kb_interval(struct kb_worker *worker, u64 n, u64 *ticks);

/* N samples a thread, all threads at once. -ETIME, -EINTR: those that were made are kept. */
int kb_samples_run(struct kb_launch *launch, u64 count);
/* Writes the next samples as `q` lines, about 32 KiB of them. */
int kb_samples_emit(struct kb_launch *launch);
bool kb_samples_pending(const struct kb_launch *launch);
void kb_samples_free(struct kb_launch *launch);
/* Sorted ticks of all samples, kvmalloc'ed. NULL: no memory, or no
   samples. Unsorted only if the caller is being killed. */
u64 *kb_samples_sorted(const struct kb_launch *launch, size_t *count);

/* The other threads of a launch: parked between rounds, each on a CPU of its own. */
void kb_threads_init(struct kb_launch *launch);
/* Creates them and waits until each is set up. 0 or the first error. */
int kb_threads_create(struct kb_launch *launch);
/* Hands them work; then the caller lines up, too. */
void kb_threads_start(struct kb_launch *launch, void (*work)(struct kb_worker *));
/* Ends the round and waits for them. The first error of any of them. */
int kb_threads_stop(struct kb_launch *launch);
/* They tear down and exit. */
int kb_threads_join(struct kb_launch *launch);
int kb_worker_set_up(struct kb_worker *worker);
void kb_worker_tear_down(struct kb_worker *worker);
/* Says that it is there and spins until all of them are: running, not merely woken. -EINTR. */
int kb_worker_line_up(struct kb_worker *worker);

/* ---- the architecture ---------------------------------------------------------------------------- */

/* Name, readings and rate. -ENODEV: this processor has no clock that can be trusted. */
int kb_clock_open(struct kb_clock *clock);
/* The CPU's model as fields of an `env` line, named as kbench env names them. */
void kb_cpu_model(char *fields, size_t room);
/* Interrupts of this CPU so far, of all kinds. */
u64 kb_interrupts(void);

static inline void kb_seen_read(struct kb_seen *seen)
{
	seen->cpu = raw_smp_processor_id();
	seen->interrupts = kb_interrupts();
	seen->switches = current->nvcsw;
	seen->preemptions = current->nivcsw;
}

/* What happened since: flags of an observation. Of what may sleep, interrupts and switches are the operation itself. */
static inline unsigned kb_seen_flags(const struct kb_seen *before, bool may_sleep)
{
	struct kb_seen now;
	unsigned flags = 0;

	kb_seen_read(&now);
	if (now.cpu != before->cpu)
		return KB_FLAG_MIGRATED;
	if (may_sleep)
		return 0;
	if (now.interrupts != before->interrupts)
		flags |= KB_FLAG_IRQ;
	if (now.preemptions != before->preemptions || now.switches != before->switches)
		flags |= KB_FLAG_SWITCH;
	return flags;
}

#endif
