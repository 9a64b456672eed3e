/*
 * Latencies of one function of the kernel: from raw stamps of entries and exits to times without the probe's own cost.
 * Stamps are paired here, thread by thread, since a function may sleep, move to another CPU and call itself.
 */
#ifndef KB_TRACE_FUNC_FUNC_H
#define KB_TRACE_FUNC_FUNC_H

#include "types.h"
#include "base/record.h"
#include "trace/bpf.h"
#include "trace/func/shared.h"
#include "stats/stats.h"

/* By what means entry and exit are seen; the first that the kernel grants is used. */
enum kb_func_route {
	KB_FUNC_FENTRY,         /* the function's own trampoline: fentry and fexit */
	KB_FUNC_KPROBE,         /* kprobe and kretprobe */
	KB_FUNC_SYSCALL,        /* a system call, by raw_syscalls: from sys_enter to sys_exit */
	KB_FUNC_POINTS,         /* two tracepoints around what the function does */
	KB_FUNC_ROUTES
};
extern const char *const kb_func_route_names[KB_FUNC_ROUTES];   /* fentry kprobe syscall tracepoints */

/* What a name means on the routes that know no functions. */
struct kb_func_target {
	const char *function;
	int64_t number;                 /* of the system call; -1: it is none */
	const char *enter, *leave;      /* tracepoints around it; NULL: none known */
	const char *no_end;             /* the one tracepoint that it has, which has no end; NULL */
};
struct kb_func_target kb_func_target_of(const char *function);

/* ---- pairing --------------------------------------------------------------------------------------------- */

/* place: in what this CPU wrote; interrupts and switches: that the CPU had had. */
struct kb_func_stamp { uint64_t ns; uint32_t tid, cpu, kind, place, interrupts, switches; };
/* begin: CLOCK_MONOTONIC; cpu: at the exit; depth: calls of the function that this one is inside; flags: KB_FLAG_IRQ,
   KB_FLAG_SWITCH, KB_FLAG_MIGRATED, of which only the last is told where the CPU changed. */
struct kb_func_pair { uint64_t begin, ns; uint32_t tid, cpu, depth, flags; };

struct kb_func_counts {
	uint64_t events;        /* kept */
	uint64_t lost;          /* events that found the log full, or are of calls above the limit */
	uint64_t open;          /* entries without an exit */
	uint64_t unopened;      /* exits without an entry */
	uint64_t missed;        /* programs that the kernel left out: it was inside one on this CPU */
	uint64_t torn;          /* begun, not written when the log was read */
};

/* Pairs, or two tallies: of clean calls, and of disturbed ones. */
struct kb_func_log {
	struct kb_func_pair *pairs;     /* in order of their begin */
	size_t count;
	struct kb_func_tally *tallies;  /* NULL: there are pairs */
	struct kb_func_counts counts;   /* lost, missed and torn are the caller's */
	unsigned watched;               /* the flags that were looked for; the caller's, as is what follows */
	uint64_t started_ns;            /* CLOCK_MONOTONIC, when tracing was last switched on */
	uint64_t elapsed_ns, closed_ns; /* from then on; closed_ns: until the log was full, 0: it was not */
};

/* Sorts the stamps, and pairs them: an exit belongs to its thread's last open entry. The idle thread is one a CPU.
   0 or -ENOMEM. log->pairs is to be freed by kb_func_log_free in any case. */
int kb_func_pair_up(struct kb_func_log *log, struct kb_func_stamp *stamps, size_t count);

/* Keeps the first `limit` calls; the others are lost, and with the first of them the log was full. */
void kb_func_trim(struct kb_func_log *log, size_t limit);
void kb_func_log_free(struct kb_func_log *);

/* A later log of the same tracer behind the first; an empty one (all 0) becomes a copy. 0 or -ENOMEM. */
int kb_func_log_add(struct kb_func_log *, const struct kb_func_log *later);

/* Adds the calls of another tally. */
void kb_func_tally_add(struct kb_func_tally *, const struct kb_func_tally *more);

/* All calls, and those that have one of these flags. Tallies know KB_FUNC_DISTURBED as a whole only. */
#define KB_FUNC_DISTURBED (KB_FLAG_IRQ | KB_FLAG_SWITCH | KB_FLAG_MIGRATED)
size_t kb_func_calls(const struct kb_func_log *);
size_t kb_func_flagged(const struct kb_func_log *log, unsigned flags);

/* ---- statistics ------------------------------------------------------------------------------------------- */

#define KB_FUNC_QUANTILES 5
extern const double kb_func_quantiles[KB_FUNC_QUANTILES];       /* .5 .9 .95 .99 .999 */

struct kb_func_side {
	size_t count;
	double min, max, sd;    /* sd: not finite of tallies, which do not have it */
	struct kb_interval mean, quantiles[KB_FUNC_QUANTILES];
	double spread;          /* from the 25th to the 75th percentile; ns */
	double grain;           /* what the median is told by: the clock's step, and the width of a tally's bin beyond 1; ns */
};

/* Of the log's calls that have none of these flags. step: of the clock, which quantiles are told by no better. 0 or -ENOMEM. */
int kb_func_side_of(struct kb_func_side *, const struct kb_func_log *, unsigned without, double step);

/* The same of times in order of their begin. */
int kb_func_side_of_times(struct kb_func_side *, const double *ns, size_t count, double step);

#define KB_FUNC_PROCESSES_MAX 100u

/* Of one process, in which the command ran once: its calls, and those of the null function right before and behind it. */
struct kb_func_process { struct kb_func_side call, clean, before, behind; };

/* call - null, with the uncertainty of both; ns. */
struct kb_func_net { struct kb_interval median, mean; };

struct kb_func_summary {
	struct kb_func_side call, clean;        /* all, and those that nothing disturbed */
	struct kb_func_side null;       /* count 0: the probe's cost is unverified */
	struct kb_func_net net, net_clean;
	double drift;           /* of the null's median, from before the calls to behind them; the largest of all processes; ns */
	double resolution;      /* twice the spread of the null function, at least a step; below it nothing is told; ns */
	bool resolved;          /* net.median is above it */
};

/* What is left once the three sides of the summary are there: of one process the CI of its calls, with half of the drift; of more a
   t interval of their differences, so that what differs from process to process is in it. Medians are no better known than a step. */
void kb_func_summarise(struct kb_func_summary *, const struct kb_func_process *, unsigned count, double step);

/* The step of the clock that stamps are taken with, found by reading it: 1 ns, or how far apart the values are that differences of
   readings have. Sorts them. kb_func_step_of: the same of any such differences. */
double kb_func_clock_step(void);
double kb_func_step_of(double *differences, size_t count);

/* ---- the kernel: libbpf.c, list_libbpf.c, none.c --------------------------------------------------- */

struct kb_func_tracer;

/* Loads a program of two instructions: 0 if this process may use BPF for tracing at all; otherwise -errno and why. Call it first.
   Programs, maps and links belong to the process: they are gone when it is, also after kill -9. Nothing is ever pinned. */
int kb_func_begin(struct kb_bpf_refusal *);

/* limit: calls that are kept each time it is switched on, of all CPUs together; fewer where so many on each CPU would take more than
   1 GiB. ignored: a process that is not meant, 0: none. only: the one process that is, 0: all. tallied: the kernel makes pairs and counts
   them, which takes as much memory for any number of calls. */
struct kb_func_wish { uint32_t limit, ignored, only; bool tallied; };

/* Loads and attaches, switched off. -errno with the refusal. */
int kb_func_open(struct kb_func_tracer **, const struct kb_func_target *, enum kb_func_route, const struct kb_func_wish *,
		 struct kb_bpf_refusal *);
void kb_func_switch(struct kb_func_tracer *, bool on);

/* Takes it out of the null function's way, and puts it back: on route `syscall` its programs run at every system call, between
   the stamps of another's as well, switched off or not. 0 or -errno. */
int kb_func_aside(struct kb_func_tracer *, bool aside);
bool kb_func_full(const struct kb_func_tracer *);

/* Which of KB_FLAG_IRQ and KB_FLAG_SWITCH calls will have; of what is missing, why. */
unsigned kb_func_watched(const struct kb_func_tracer *, struct kb_bpf_refusal *);

/* After switching off: what was logged since it was switched on, of which nothing is left then. 0 or -errno. */
int kb_func_take(struct kb_func_tracer *, struct kb_func_log *);
void kb_func_close(struct kb_func_tracer *);

/* A function that does nothing, seen on the same route: what is between the stamps besides the function. calls: as many as each
   kb_func_null_call will make; it attaches, calls and detaches. kb_func_take gives the calls since the last one. -errno with
   the refusal, or -errno: the probe's cost is unverified. */
int kb_func_null_open(struct kb_func_tracer **, enum kb_func_route, uint32_t calls, bool tallied, struct kb_bpf_refusal *);
int kb_func_null_call(struct kb_func_tracer *, uint32_t calls);

/* Calls found(name) for each function that fentry can name, which is what BTF has; pattern as of the shell. */
int kb_func_list(const char *pattern, void (*found)(void *context, const char *name, const char *module), void *context,
		 struct kb_bpf_refusal *);

#endif
